import type { PresetName } from '../domain/agent/agent.js';
import type { Preset } from './preset.js';
import { aider } from './presets/aider.js';
import { amp } from './presets/amp.js';
import { claude } from './presets/claude.js';
import { codex } from './presets/codex.js';
import { copilot } from './presets/copilot.js';
import { gemini } from './presets/gemini.js';
import { opencode } from './presets/opencode.js';
import { qwen } from './presets/qwen.js';

const presets: Readonly<Record<PresetName, Preset>> = {
  claude,
  codex,
  gemini,
  opencode,
  qwen,
  aider,
  copilot,
  amp,
};

export const findPreset = (name: PresetName): Preset => presets[name];

/** Undefined for an unknown agent and for a plain command. */
export const findKnownPreset = (agent: string | undefined): Preset | undefined =>
  agent !== undefined && Object.hasOwn(presets, agent) ? findPreset(agent as PresetName) : undefined;

/** The model hosts of the agent that a template names. None for an unknown agent and for a plain command. */
export const modelHostsOf = (agent: string | undefined): readonly string[] =>
  findKnownPreset(agent)?.hosts ?? [];

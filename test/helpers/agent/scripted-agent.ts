import type { TestContext } from 'vitest';
import type { PresetName } from '../../../src/domain/agent/agent.js';
import type { Turn } from '../model-server/script.js';
import { startModelServer } from '../model-server/server.js';
import { makeRepository } from '../repository.js';
import { tempDir } from '../temp.js';
import { requireAgentProgram } from './agent-programs.js';
import { type AgentCallResult, callAgent, presetAgent } from './call-agent.js';

export interface ScriptedAgent {
  readonly preset: PresetName;
  readonly model?: string;
  readonly arguments?: readonly string[];
  /** What leads it to the model server and nowhere else. */
  environment(url: string): Readonly<Record<string, string>>;
}

export interface ScriptedCall extends AgentCallResult {
  /** The repository that it worked in. */
  readonly cwd: string;
  /** The last question to the model. */
  readonly asked: string;
}

/** Runs the real program of a preset in a repository, with a scripted model. */
export async function runScripted(
  context: TestContext,
  { preset, environment, ...agent }: ScriptedAgent,
  script: readonly Turn[],
): Promise<ScriptedCall> {
  const path = requireAgentProgram(context, preset);
  const server = await startModelServer({ script });
  const cwd = makeRepository();
  const call = await callAgent(presetAgent(preset, agent), {
    cwd,
    // Some leave reports of errors there.
    environment: { PATH: path, TMPDIR: tempDir(), ...environment(server.url) },
  });
  return { ...call, cwd, asked: JSON.stringify(server.requests.at(-1)?.body) };
}

/** Creates a file in the working tree and one in the handoff directory, which is outside it. */
export const MAKE_TWO_FILES = 'echo made > made.txt && echo kept > "$CARREL_OUTPUT_DIR/plan.md"';

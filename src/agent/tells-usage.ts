import type { ResolvedAgent } from '../domain/task.js';
import type { Telling } from './preset.js';
import { findPreset } from './presets.js';

/** When it is known what a running agent has used, as far as that can end it. */
interface UsageTelling {
  readonly cost: Telling;
  readonly tokens: Telling;
}

/** What prints JSON is taken to tell as it goes; what prints text tells nothing. */
export function whenUsageIsTold({ program, result }: ResolvedAgent): UsageTelling {
  if (result === 'text') return { cost: 'never', tokens: 'never' };
  if (result === 'json') return { cost: 'while-running', tokens: 'while-running' };
  const { tellsCost, tellsTokens } = findPreset(result);
  // Told the sum that is left, it ends by itself.
  const holdsBudget = program.kind === 'preset' && findPreset(program.preset).holdsBudget;
  return { cost: holdsBudget ? 'while-running' : tellsCost, tokens: tellsTokens };
}

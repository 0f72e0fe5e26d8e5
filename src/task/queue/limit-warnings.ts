import type { UsageTiming } from '../../agent/preset.js';
import { findPreset } from '../../agent/presets.js';
import type { TaskLimits } from '../../domain/agent/agent.js';
import type { ResolvedAgent } from '../../domain/task/task.js';

/** Warns about limits that cannot stop running agents, because those do not report their usage. */
export function warnOfLimits(
  { costUsd, tokens }: TaskLimits,
  agents: Readonly<Record<string, ResolvedAgent>>,
): string[] {
  const reporting = Object.values(agents).map(agent => ({ name: agent.name, ...whenUsageIsReported(agent) }));
  const namesOf = (what: 'cost' | 'tokens', when: keyof typeof REASONS) =>
    reporting.filter(agent => agent[what] === when).map(({ name }) => name);
  const warn = (what: 'cost' | 'tokens', limit: string) =>
    (['at-the-end', 'never'] as const).flatMap(when => {
      const names = namesOf(what, when).join(', ');
      return names === '' ? [] : [`${limit} cannot stop ${names}${REASONS[when]}`];
    });
  return [
    ...(costUsd === undefined ? [] : warn('cost', `the limit of ${costUsd} US dollars`)),
    ...(tokens === undefined ? [] : warn('tokens', `the limit of ${tokens} tokens`)),
  ];
}

const REASONS = {
  'at-the-end': ' while it runs: it reports its usage only at the end of an attempt',
  never: ': it never reports its usage',
} as const;

/** When the usage of a running agent is known, as far as a limit needs it. */
interface UsageReporting {
  readonly cost: UsageTiming;
  readonly tokens: UsageTiming;
}

/** JSON output is assumed to report usage while running; text output reports nothing. */
function whenUsageIsReported({ program, result }: ResolvedAgent): UsageReporting {
  if (result === 'text') return { cost: 'never', tokens: 'never' };
  if (result === 'json') return { cost: 'while-running', tokens: 'while-running' };
  const { reportsCost: tellsCost, reportsTokens: tellsTokens } = findPreset(result);
  // It gets the remaining budget and stops on its own.
  const holdsBudget = program.kind === 'preset' && findPreset(program.preset).holdsBudget;
  return { cost: holdsBudget ? 'while-running' : tellsCost, tokens: tellsTokens };
}

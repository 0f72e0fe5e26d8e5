import { whenUsageIsTold } from '../agent/tells-usage.js';
import type { TaskLimits } from '../domain/agent.js';
import type { ResolvedAgent } from '../domain/task.js';

/** Which limits of a task can't end its agents while they run, because those do not tell what they use. */
export function warnOfLimits(
  { costUsd, tokens }: TaskLimits,
  agents: Readonly<Record<string, ResolvedAgent>>,
): string[] {
  const told = Object.values(agents).map(agent => ({ name: agent.name, ...whenUsageIsTold(agent) }));
  const namesOf = (what: 'cost' | 'tokens', when: keyof typeof REASONS) =>
    told.filter(agent => agent[what] === when).map(({ name }) => name);
  const warn = (what: 'cost' | 'tokens', limit: string) =>
    (['at-the-end', 'never'] as const).flatMap(when => {
      const names = namesOf(what, when).join(', ');
      return names === '' ? [] : [`${limit} does not hold ${names} ${REASONS[when]}`];
    });
  return [
    ...(costUsd === undefined ? [] : warn('cost', `the limit of ${costUsd} US dollars`)),
    ...(tokens === undefined ? [] : warn('tokens', `the limit of ${tokens} tokens`)),
  ];
}

const REASONS = {
  'at-the-end': 'while running: what was used is told only at the end of an attempt',
  never: 'at all: what was used is never told',
} as const;

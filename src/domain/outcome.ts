import type { Outcome } from './attempt.js';

// Apart from attempt.ts so that counting does not load zod.

/** Nobody's fault but the machine's: another try may come out otherwise. */
export const isRetriedOutcome = (outcome: Outcome): boolean => outcome === 'infrastructure';

/** Whether a result stands: `eval resume` does not repeat it. */
export const isFinal = (outcome: Outcome): boolean => outcome !== 'infrastructure' && outcome !== 'cancelled';

/** Whether the attempt says something about the agent. */
export const isJudged = (outcome: Outcome): boolean => JUDGED.has(outcome);

const JUDGED: ReadonlySet<Outcome> = new Set<Outcome>([
  'passed',
  'failed',
  'agent-error',
  'agent-timeout',
  'limit',
]);

/** Under which of the four totals an outcome counts. */
export function totalOf(outcome: Outcome): 'passed' | 'failed' | 'errors' | 'cancelled' {
  if (outcome === 'passed' || outcome === 'cancelled') return outcome;
  return isJudged(outcome) ? 'failed' : 'errors';
}

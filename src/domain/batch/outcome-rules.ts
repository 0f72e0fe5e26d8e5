import type { Outcome } from './attempt.js';

// Separate from attempt.ts so that counting does not load zod.

/** Failures of the machine: another attempt may have another outcome. */
export const isRetriedOutcome = (outcome: Outcome): boolean => outcome === 'infrastructure';

/** Whether a result is final: `eval resume` does not repeat it. */
export const isFinal = (outcome: Outcome): boolean => outcome !== 'infrastructure' && outcome !== 'cancelled';

/** Whether the outcome counts for or against the agent. */
export const isGraded = (outcome: Outcome): boolean => GRADED.has(outcome);

const GRADED: ReadonlySet<Outcome> = new Set<Outcome>([
  'passed',
  'failed',
  'agent-error',
  'agent-timeout',
  'limit',
]);

/** Which of the four totals an outcome counts toward. */
export function totalOf(outcome: Outcome): 'passed' | 'failed' | 'errors' | 'cancelled' {
  if (outcome === 'passed' || outcome === 'cancelled') return outcome;
  return isGraded(outcome) ? 'failed' : 'errors';
}

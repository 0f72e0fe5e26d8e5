import type { Outcome } from '../../../../src/domain/attempt.js';
import type { Tone } from '../badge.js';

export interface OutcomeLook {
  /** A letter or a sign, which is read without colours. */
  readonly mark: string;
  readonly tone: Tone;
  /** For a legend and whoever does not see the mark. */
  readonly label: string;
}

export const OUTCOME_LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  passed: { mark: '✓', tone: 'good', label: 'passed' },
  failed: { mark: '✗', tone: 'bad', label: 'failed' },
  'agent-error': { mark: 'E', tone: 'bad', label: 'error of the agent' },
  'agent-timeout': { mark: 'T', tone: 'bad', label: 'agent timed out' },
  limit: { mark: 'L', tone: 'bad', label: 'ran into a limit' },
  'grader-error': { mark: 'G', tone: 'warning', label: 'could not be judged' },
  infrastructure: { mark: 'I', tone: 'warning', label: 'the machine failed' },
  cancelled: { mark: 'C', tone: 'neutral', label: 'cancelled' },
};

/** One that has not come out yet. */
export const NO_OUTCOME: OutcomeLook = { mark: '·', tone: 'neutral', label: 'not done' };

export const lookOf = (outcome: Outcome | undefined): OutcomeLook =>
  outcome === undefined ? NO_OUTCOME : OUTCOME_LOOKS[outcome];

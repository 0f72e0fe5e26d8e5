import type { Outcome } from '../../../../src/domain/batch/attempt.js';
import type { Tone } from '../status/badge.js';

export interface OutcomeLook {
  /** A letter or sign that is readable without colors. */
  readonly mark: string;
  readonly tone: Tone;
  /** For the legend and for screen readers. */
  readonly label: string;
}

export const OUTCOME_LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  passed: { mark: '✓', tone: 'good', label: 'passed' },
  failed: { mark: '✗', tone: 'bad', label: 'failed' },
  'agent-error': { mark: 'E', tone: 'bad', label: 'agent error' },
  'agent-timeout': { mark: 'T', tone: 'bad', label: 'agent timeout' },
  limit: { mark: 'L', tone: 'bad', label: 'limit reached' },
  'grader-error': { mark: 'G', tone: 'warning', label: 'grader error' },
  infrastructure: { mark: 'I', tone: 'warning', label: 'infrastructure failure' },
  cancelled: { mark: 'C', tone: 'neutral', label: 'cancelled' },
};

/** An attempt without an outcome yet. */
export const NO_OUTCOME: OutcomeLook = { mark: '·', tone: 'neutral', label: 'not done' };

export const lookOf = (outcome: Outcome | undefined): OutcomeLook =>
  outcome === undefined ? NO_OUTCOME : OUTCOME_LOOKS[outcome];

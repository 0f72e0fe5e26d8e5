import { createHash } from 'node:crypto';
import type { AttemptIsolation } from '../../domain/batch/attempt.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';

/** Increased when results of an older Carrel are no longer comparable. */
const FORMAT = 1;

export interface IdentityRequest {
  readonly item: EvalItem;
  /** The agent's fingerprint. */
  readonly fingerprint: string;
  readonly isolation: AttemptIsolation;
  readonly attempt: number;
  /** The time limit of the agent when the item has none. */
  readonly timeoutMs: number | null;
}

/**
 * A hash of everything that the result of an attempt depends on: finished work with the same identity is not done
 * again. Order, parallelism, tags and difficulty are not part of it. Bases count as written: see pin-bases.ts.
 */
export function identifyAttempt({ item, ...rest }: IdentityRequest): string {
  const { hidden, hiddenPatch, protect, graders, ...worked } = item;
  const solution = rest.fingerprint === ORACLE ? item.solution : undefined;
  return `${hash({ format: FORMAT, ...rest, solution, item: withoutLabels(worked) })}-${identifyGrading(item)}`;
}

/** This agent applies the task's solution, which no other agent sees. */
const ORACLE = 'oracle';

/** The identity of the same work, graded by the current graders. */
export const identifyRegraded = (identity: string, item: EvalItem): string =>
  `${workOf(identity)}-${identifyGrading(item)}`;

/** Whether the agent's work depends on the same inputs, regardless of grading. */
export const isSameWork = (a: string, b: string): boolean => workOf(a) === workOf(b);

const workOf = (identity: string): string => identity.split('-', 1)[0] as string;

/** Hash of the task alone, independent of the agent: only results with the same hash are compared. */
export function identifyItem(item: EvalItem): string {
  return hash({ format: FORMAT, item: withoutLabels(item) });
}

/** Hash of what only grading depends on. */
export function identifyGrading({ hidden, hiddenPatch, protect, graders, setup, base }: EvalItem): string {
  return hash({ format: FORMAT, hidden, hiddenPatch, protect, graders, setup, base });
}

/** Hash of what `eval check` checks: the graders, and the solution that must satisfy them. */
export const identifyCheck = (item: EvalItem): string =>
  hash({ grading: identifyGrading(item), solution: item.solution });

function withoutLabels({ tags, difficulty, language, solution, ...item }: Partial<EvalItem>): object {
  return item;
}

const hash = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);

/** JSON with sorted keys, so that the order in which a file was written does not matter. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

import { createHash } from 'node:crypto';
import type { AttemptIsolation } from '../domain/attempt.js';
import type { EvalItem } from '../domain/eval-item.js';

/** Changes when results of an older Carrel are not to be compared with ours. */
const FORMAT = 1;

export interface IdentityRequest {
  readonly item: EvalItem;
  /** Of the agent. */
  readonly fingerprint: string;
  readonly isolation: AttemptIsolation;
  readonly attempt: number;
  /** The time limit of the agent, where the item names none. */
  readonly timeoutMs: number | null;
}

/**
 * A hash of everything that the result of an attempt depends on: what is done already under the same identity is not done
 * again. Order, parallelism, tags and difficulty are not part of it. Bases count as they are written: pin-bases.ts.
 */
export function identifyAttempt({ item, ...rest }: IdentityRequest): string {
  const { hidden, hiddenPatch, protect, graders, ...worked } = item;
  const solution = rest.fingerprint === ORACLE ? item.solution : undefined;
  return `${hash({ format: FORMAT, ...rest, solution, item: withoutLabels(worked) })}-${identifyGrading(item)}`;
}

/** What this agent does is the task's own solution, which no other one sees. */
const ORACLE = 'oracle';

/** That of the same work, judged by the graders as they are now. */
export const identifyRegraded = (identity: string, item: EvalItem): string =>
  `${workOf(identity)}-${identifyGrading(item)}`;

/** Whether the agent would do the same again, however it is judged. */
export const isSameWork = (a: string, b: string): boolean => workOf(a) === workOf(b);

const workOf = (identity: string): string => identity.split('-', 1)[0] as string;

/** The same for the task alone, whoever tries it: only results under the same one are compared. */
export function identifyItem(item: EvalItem): string {
  return hash({ format: FORMAT, item: withoutLabels(item) });
}

/** The same for what grading alone depends on. */
export function identifyGrading({ hidden, hiddenPatch, protect, graders, setup, base }: EvalItem): string {
  return hash({ format: FORMAT, hidden, hiddenPatch, protect, graders, setup, base });
}

/** The same for what `eval check` judges: the graders, and the solution that has to satisfy them. */
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

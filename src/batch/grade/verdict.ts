import type { ScriptResult } from './run-script.js';

/** The result of one grader. */
export type Verdict =
  | {
      readonly kind: 'judged';
      /** From 0 to 1. */
      readonly score: number;
      readonly passed: boolean;
      readonly detail: string | null;
      readonly findings: readonly string[];
    }
  /** No result: nothing to run, a timeout, or an unreadable answer. */
  | { readonly kind: 'unjudged'; readonly reason: string; readonly detail: string | null }
  /** An infrastructure failure or a cancellation. */
  | { readonly kind: 'broken'; readonly reason: string };

export type GradedVerdict = Extract<Verdict, { kind: 'judged' }>;

export function judged(
  score: number,
  passed: boolean,
  detail: string | null = null,
  findings: readonly string[] = [],
): GradedVerdict {
  return { kind: 'judged', score, passed, detail, findings };
}

export const ungraded = (reason: string, detail: string | null = null): Verdict => ({
  kind: 'unjudged',
  reason,
  detail,
});

/** The verdict when a script did not finish; undefined when it did. */
export function verdictOfEnding({ ending, words, tail }: ScriptResult): Verdict | undefined {
  if (ending === 'exited') return undefined;
  if (ending === 'broken') return { kind: 'broken', reason: `the grader ${words}` };
  return ungraded(`it ${words}`, tail || null);
}

/** How a script ended and the end of its output. */
export const describeEnding = ({ words, tail }: ScriptResult): string =>
  [`It ${words}.`, tail].join('\n').trimEnd();

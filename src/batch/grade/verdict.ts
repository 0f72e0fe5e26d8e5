import type { ScriptResult } from './run-script.js';

/** What one grader says. */
export type Verdict =
  | {
      readonly kind: 'judged';
      /** From 0 to 1. */
      readonly score: number;
      readonly passed: boolean;
      readonly detail: string | null;
      readonly findings: readonly string[];
    }
  /** It could not tell: nothing to run, no answer in time, or none that could be read. */
  | { readonly kind: 'unjudged'; readonly reason: string; readonly detail: string | null }
  /** The machine gave way, or somebody cancelled. */
  | { readonly kind: 'broken'; readonly reason: string };

export type Judgement = Extract<Verdict, { kind: 'judged' }>;

export function judged(
  score: number,
  passed: boolean,
  detail: string | null = null,
  findings: readonly string[] = [],
): Judgement {
  return { kind: 'judged', score, passed, detail, findings };
}

export const unjudged = (reason: string, detail: string | null = null): Verdict => ({
  kind: 'unjudged',
  reason,
  detail,
});

/** The verdict when a script did not come to its end; undefined when it did. */
export function verdictOfEnding({ ending, words, tail }: ScriptResult): Verdict | undefined {
  if (ending === 'exited') return undefined;
  if (ending === 'broken') return { kind: 'broken', reason: `the grader ${words}` };
  return unjudged(`it ${words}`, tail || null);
}

/** How a script ended and the end of its output. */
export const describeEnding = ({ words, tail }: ScriptResult): string =>
  [`It ${words}.`, tail].join('\n').trimEnd();

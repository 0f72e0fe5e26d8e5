import type { GradingBench } from './grading-bench.js';
import { judged, type Verdict } from './verdict.js';

export interface PutBack {
  /** What was changed, in words. */
  readonly findings: readonly string[];
  /** When the graders' own files can't be had again, so that there is nothing more to ask. */
  readonly lost: Verdict | undefined;
}

export const UNTOUCHED: PutBack = { findings: [], lost: undefined };

/** Before a command that is not the first. */
export async function putBack({ restore }: GradingBench): Promise<PutBack> {
  if (!restore) return UNTOUCHED;
  const { changed, lost } = await restore();
  const findings = changed.map(path => `${path} was changed while graders ran`);
  if (lost === undefined) return { findings, lost: undefined };
  return { findings, lost: judged(0, false, `${lost} was replaced while graders ran.`, findings) };
}

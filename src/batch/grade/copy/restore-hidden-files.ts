import type { GradingBench } from '../grading-context.js';
import { judged, type Verdict } from '../verdict.js';

export interface PutBack {
  /** What was changed, as text. */
  readonly findings: readonly string[];
  /** Set when the graders' own files cannot be restored, so grading stops. */
  readonly lost: Verdict | undefined;
}

export const UNTOUCHED: PutBack = { findings: [], lost: undefined };

/** Before a command that is not the first. */
export async function putBack({ restore }: GradingBench): Promise<PutBack> {
  if (!restore) return UNTOUCHED;
  const { changed, planted, lost } = await restore();
  const findings = [
    ...changed.map(path => `${path} was changed while graders ran`),
    ...describePlanted(planted),
  ];
  if (lost === undefined) return { findings, lost: undefined };
  return { findings, lost: judged(0, false, `${lost} was replaced while graders ran.`, findings) };
}

const MOST_NAMES = 10;

function describePlanted(paths: readonly string[]): string[] {
  const more = paths.length - MOST_NAMES;
  const shown = paths.slice(0, MOST_NAMES).map(path => JSON.stringify(path).slice(1, -1).slice(0, 300));
  return [
    ...shown.map(path => `${path} was added while graders ran`),
    ...(more > 0 ? [`and ${more} more files were added`] : []),
  ];
}

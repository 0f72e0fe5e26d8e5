import type { Grader } from '../../../domain/batch/eval-item.js';
import type { GradingBench } from '../grading-context.js';
import { runScript } from '../run-script.js';
import { describeEnding, judged, type Verdict, verdictOfEnding } from '../verdict.js';
import { graderLimit } from './grader-limit.js';

/** Exit status 0 is success. */
export async function gradeByCommand(
  bench: GradingBench,
  grader: Extract<Grader, { kind: 'command' }>,
): Promise<Verdict> {
  const result = await runScript(bench, grader.run, graderLimit(grader));
  const early = verdictOfEnding(result);
  if (early) return early;
  return result.exitCode === 0 ? judged(1, true) : judged(0, false, describeEnding(result));
}

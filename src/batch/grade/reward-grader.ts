import { randomUUID } from 'node:crypto';
import type { Grader } from '../../domain/eval-item.js';
import { graderLimit } from './grader-limit.js';
import type { GradingBench } from './grading-bench.js';
import { parseReward } from './parse-reward.js';
import { runScript } from './run-script.js';
import { quoteForShell, writingAnew } from './shell-text.js';
import { judged, unjudged, type Verdict, verdictOfEnding } from './verdict.js';

type RewardGrader = Extract<Grader, { kind: 'reward' }>;

/** Larger ones are no rewards. */
const MOST_BYTES = 64 * 1024;

/** Whatever the file held before is gone; its command has the last word, whatever its exit status is. */
export async function gradeByReward(bench: GradingBench, grader: RewardGrader): Promise<Verdict> {
  const { script, file } = grader.file.startsWith('/') ? copyOut(grader) : within(grader);
  const result = await runScript(bench, script, graderLimit(grader));
  const early = verdictOfEnding(result);
  if (early) return early;
  const content = await bench.environment.readFile(file, MOST_BYTES);
  if (!content) return unjudged(`${grader.file} was not written`, result.tail || null);
  const reward = parseReward(content.toString('utf8'));
  if (reward === undefined) return unjudged(`${grader.file} holds no number`, result.tail || null);
  const score = Math.min(1, Math.max(0, reward));
  return judged(score, score === 1, `The reward is ${reward}.`);
}

const within = ({ run, file }: RewardGrader) => ({ script: writingAnew(file, run), file });

/**
 * A file outside of the working tree: all within one command, because the next one may run in another sandbox, where the
 * file is not there.
 */
function copyOut({ run, file }: RewardGrader): { readonly script: string; readonly file: string } {
  const copy = `.carrel-reward-${randomUUID()}`;
  const directory = quoteForShell(file.replace(/\/[^/]*$/, '') || '/');
  const lines = [
    `mkdir -p -- ${directory}`,
    `(${run}\n)`,
    'carrel_status=$?',
    `cat < ${quoteForShell(file)} > ${copy}`,
    'exit "$carrel_status"',
  ];
  return { script: writingAnew(file, lines.join('\n')), file: copy };
}

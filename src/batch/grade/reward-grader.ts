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

/**
 * Whatever the file held before is gone, and its command has the last word, whatever its exit status is. A reward that
 * is written again when the command is through comes from what was tested, and so may the one before.
 */
export async function gradeByReward(bench: GradingBench, grader: RewardGrader): Promise<Verdict> {
  const { environment } = bench;
  const { file } = grader;
  if (!environment.isSandboxed && isOutside(file, environment.workingDirectory))
    return unjudged(`${file} would be a file of this machine; it needs isolation full or docker`);
  const copy = `.carrel-reward-${randomUUID()}`;
  const result = await runScript(bench, takingReward(grader, copy), graderLimit(grader));
  const early = verdictOfEnding(result);
  if (early) return early;
  await environment.endAll();
  const content = (await environment.readFile(copy, MOST_BYTES))?.toString('utf8');
  if (content === undefined) return unjudged(`${file} was not written`, result.tail || null);
  const isBack = !file.startsWith('/') && (await environment.readFile(file, MOST_BYTES)) !== undefined;
  if (isBack || content.trim() === WRITTEN_AGAIN) return disbelieve(file);
  const reward = parseReward(content);
  if (reward === undefined) return unjudged(`${file} holds no number`, result.tail || null);
  const score = Math.min(1, Math.max(0, reward));
  return judged(score, score === 1, `The reward is ${reward}.`, describeLeftovers(result.leftovers));
}

/** Of a path with `..` nobody can say where it leads. */
const isOutside = (file: string, directory: string): boolean =>
  file.startsWith('/') && (!file.startsWith(`${directory}/`) || file.split('/').includes('..'));

const WRITTEN_AGAIN = 'written again';

/**
 * Takes the reward away as soon as its command is through, and looks whether somebody else puts one there. All within
 * one command, because the next one may run in another sandbox, where a file outside of the working tree is not there.
 */
function takingReward({ run, file }: RewardGrader, copy: string): string {
  const name = quoteForShell(file);
  const directory = file.startsWith('/') ? file.replace(/\/[^/]*$/, '') : '';
  const lines = [
    ...(directory === '' ? [] : [`mkdir -p -- ${quoteForShell(directory)}`]),
    `(${run}\n)`,
    'carrel_status=$?',
    `if [ -f ${name} ] && [ ! -h ${name} ]; then cat < ${name} > ${copy}; fi`,
    `rm -f -- ${name}`,
    'sleep 0.1',
    `if [ -e ${name} ] || [ -h ${name} ]; then echo ${WRITTEN_AGAIN} > ${copy}; fi`,
    'exit "$carrel_status"',
  ];
  return writingAnew(file, lines.join('\n'));
}

function disbelieve(file: string): Verdict {
  const detail = `Not believed: ${file} was written again after the command had ended.`;
  return judged(0, false, detail, [`${file} was written by what was tested, not by the grader alone`]);
}

const describeLeftovers = (count: number): string[] =>
  count === 0 ? [] : [`what was tested left ${count === 1 ? 'a process' : `${count} processes`} running`];

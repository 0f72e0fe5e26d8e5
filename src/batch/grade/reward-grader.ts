import { randomUUID } from 'node:crypto';
import type { Grader } from '../../domain/eval-item.js';
import { graderLimit } from './grader-limit.js';
import type { GradingBench } from './grading-bench.js';
import { REMEMBER_PROCESSES, watchForWriters } from './other-writers.js';
import { parseReward } from './parse-reward.js';
import { describeLeftovers, runScript, type ScriptResult } from './run-script.js';
import { quoteForShell, writingAnew } from './shell-text.js';
import { judged, unjudged, type Verdict, verdictOfEnding } from './verdict.js';

type RewardGrader = Extract<Grader, { kind: 'reward' }>;

/** Larger ones are no rewards. */
const MOST_BYTES = 64 * 1024;

/** Of a reward; a line with more could be torn by those of others. */
const MOST_CHARACTERS = 3000;

/**
 * Whatever the file held before is gone, and its command has the last word, whatever its exit status is. A reward that
 * is written again when the command is through comes from what was tested, and so may the one before.
 */
export async function gradeByReward(bench: GradingBench, grader: RewardGrader): Promise<Verdict> {
  const { environment } = bench;
  const { file } = grader;
  if (!environment.isSandboxed && isOutside(file, environment.workingDirectory))
    return unjudged(`${file} would be a file of this machine; it needs isolation full or docker`);
  const marker = `carrel-reward-${randomUUID()}`;
  const answers = new Set<string>();
  const listening = { ...bench, onLine: listenFor(marker, answers, bench.onLine) };
  const script = takingReward(grader, marker);
  const result = await runScript(listening, script, graderLimit(grader), grader.run);
  const early = verdictOfEnding(result);
  if (early) return early;
  await environment.endAll();
  const isBack = !file.startsWith('/') && (await environment.readFile(file, MOST_BYTES)) !== undefined;
  const [answer, ...others] = answers;
  if (isBack || others.length > 0 || wasEnded(result)) return disbelieve(file);
  return judgeAnswer(bench, grader, { ...result, tail: withoutLines(result.tail, marker) }, answer);
}

/** Lines that begin with the marker are for us, all others for the log. */
const listenFor =
  (marker: string, answers: Set<string>, onLine: GradingBench['onLine']): GradingBench['onLine'] =>
  (stream, text) =>
    stream !== 'activity' && text.startsWith(`${marker} `)
      ? answers.add(text.slice(marker.length + 1))
      : onLine?.(stream, text);

const withoutLines = (text: string, start: string): string =>
  text
    .split('\n')
    .filter(line => !line.startsWith(start))
    .join('\n')
    .trimEnd();

/** The script itself ends with no such status: what it runs has killed it before it could say what the reward is. */
const wasEnded = ({ exitCode }: ScriptResult): boolean => exitCode === null || exitCode >= FIRST_OF_SIGNALS;

const FIRST_OF_SIGNALS = 128;

/** How many processes were left, and what the file held. */
function judgeAnswer(
  { environment }: GradingBench,
  { file }: RewardGrader,
  { leftovers, tail }: ScriptResult,
  answer = NOT_WRITTEN,
): Verdict {
  const [, others = '0', content = ''] = /^(\d+) (.*)$/.exec(answer) ?? [];
  if (content === WRITTEN_AGAIN) return disbelieve(file);
  if (content === NOT_WRITTEN || answer === NOT_WRITTEN)
    return unjudged(`${file} was not written`, tail || null);
  const reward = parseReward(content);
  if (reward === undefined) return unjudged(`${file} holds no number`, tail || null);
  const score = Math.min(1, Math.max(0, reward));
  // In a sandbox whatever is new was left by the command; outside its provider has counted.
  const left = environment.isSandboxed ? Number(others) : leftovers;
  return judged(score, score === 1, `The reward is ${reward}.`, describeLeftovers(left));
}

/** Of a path with `..` nobody can say where it leads. */
const isOutside = (file: string, directory: string): boolean =>
  file.startsWith('/') && (!file.startsWith(`${directory}/`) || file.split('/').includes('..'));

const WRITTEN_AGAIN = 'written again';
const NOT_WRITTEN = 'not written';

/**
 * Takes the reward away as soon as its command is through, and looks whether somebody else puts one there. All within
 * one command, because the next one may run in another sandbox, where a file outside of the working tree is not there.
 * It tells what it took by a line, at its end: a file could be written over meanwhile. Whoever prints another such line
 * can't take the true one back. One write holds the whole line, so that no other's goes in between (PIPE_BUF).
 */
function takingReward({ run, file }: RewardGrader, marker: string): string {
  const name = quoteForShell(file);
  const directory = file.startsWith('/') ? file.replace(/\/[^/]*$/, '') : '';
  const lines = [
    ...(directory === '' ? [] : [`mkdir -p -- ${quoteForShell(directory)}`]),
    REMEMBER_PROCESSES,
    `(${run}\n)`,
    'carrel_status=$?',
    `carrel_reward='${NOT_WRITTEN}'`,
    `if [ -f ${name} ] && [ ! -h ${name} ]; then`,
    `  carrel_reward=$(head -c ${MOST_CHARACTERS} < ${name} | tr '\\n\\r' '  ')`,
    'fi',
    `rm -f -- ${name}`,
    watchForWriters(name),
    `if [ "$carrel_returned" -eq 1 ]; then carrel_reward='${WRITTEN_AGAIN}'; fi`,
    `printf '\\n%s %s %s\\n' ${marker} "$carrel_others" "$carrel_reward"`,
    `if [ "$carrel_status" -ge ${FIRST_OF_SIGNALS} ]; then exit 1; fi`,
    'exit "$carrel_status"',
  ];
  return writingAnew(file, lines.join('\n'));
}

function disbelieve(file: string): Verdict {
  const detail = `Not believed: ${file} was not written by the command alone, or the command was ended before it could tell.`;
  return judged(0, false, detail, [`${file} was written by what was tested, not by the grader alone`]);
}

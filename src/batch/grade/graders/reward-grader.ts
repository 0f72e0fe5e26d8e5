import { randomUUID } from 'node:crypto';
import type { Grader } from '../../../domain/batch/eval-item.js';
import type { GradingBench } from '../grading-context.js';
import { describeLeftovers, runScript, type ScriptResult } from '../run-script.js';
import { judged, ungraded, type Verdict, verdictOfEnding } from '../verdict.js';
import { graderLimit } from './grader-limit.js';
import { REMEMBER_PROCESSES, watchForWriters } from './other-writers.js';
import { quoteForShell, writingAnew } from './shell-text.js';

type RewardGrader = Extract<Grader, { kind: 'reward' }>;

/** Larger files are not rewards. */
const MOST_BYTES = 64 * 1024;

/** Size limit of a reward; a longer line could be interleaved with other output. */
const MOST_CHARACTERS = 3000;

/**
 * Removes the file first, so that only its command sets the reward, whatever its exit status is. A reward that
 * is written again after the command has finished comes from the tested code, and so may the one before.
 */
export async function gradeByReward(bench: GradingBench, grader: RewardGrader): Promise<Verdict> {
  const { environment } = bench;
  const { file } = grader;
  if (!environment.isSandboxed && isOutside(file, environment.workingDirectory))
    return ungraded(`${file} is outside the working tree; expected isolation full or docker`);
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
  return gradeAnswer(bench, grader, { ...result, tail: withoutLines(result.tail, marker) }, answer);
}

/** Lines that start with the marker are read here, all others go to the log. */
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

/** The script never exits with such a status: the tested code killed it before it could print the reward. */
const wasEnded = ({ exitCode }: ScriptResult): boolean => exitCode === null || exitCode >= FIRST_OF_SIGNALS;

const FIRST_OF_SIGNALS = 128;

/** The number of leftover processes, and the content of the file. */
function gradeAnswer(
  { environment }: GradingBench,
  { file }: RewardGrader,
  { leftovers, tail }: ScriptResult,
  answer = NOT_WRITTEN,
): Verdict {
  const [, others = '0', content = ''] = /^(\d+) (.*)$/.exec(answer) ?? [];
  if (content === WRITTEN_AGAIN) return disbelieve(file);
  if (content === NOT_WRITTEN || answer === NOT_WRITTEN)
    return ungraded(`${file} was not written`, tail || null);
  const reward = parseReward(content);
  if (reward === undefined) return ungraded(`${file} contains no number`, tail || null);
  const score = Math.min(1, Math.max(0, reward));
  // In a sandbox, new processes were left by the command; outside, the provider has counted them.
  const left = environment.isSandboxed ? Number(others) : leftovers;
  return judged(score, score === 1, `The reward is ${reward}.`, describeLeftovers(left));
}

/** A path with `..` may lead anywhere. */
const isOutside = (file: string, directory: string): boolean =>
  file.startsWith('/') && (!file.startsWith(`${directory}/`) || file.split('/').includes('..'));

const WRITTEN_AGAIN = 'written again';
const NOT_WRITTEN = 'not written';

/**
 * Removes the reward as soon as its command has finished, and checks whether another process writes one again. All in
 * one command, because the next one may run in another sandbox, where a file outside the working tree does not exist.
 * It prints what it found in one line at its end: a file could be overwritten meanwhile. Tested code that prints another such line
 * cannot remove the true one. One write holds the whole line, so that no other output splits it (PIPE_BUF).
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
  const detail = `Result ignored: ${file} was not written only by the command, or the command was killed before it could print the reward.`;
  return judged(0, false, detail, [`${file} was written by the tested code, not only by the grader`]);
}

/**
 * A number, or JSON: a number, `{"reward": n}`, or several named rewards as in Harbor, whose mean counts.
 */
function parseReward(text: string): number | undefined {
  const trimmed = text.trim();
  const value = toValue(trimmed);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const rewards: unknown[] = 'reward' in value ? [value.reward] : Object.values(value);
  const numbers = rewards.filter(reward => typeof reward === 'number');
  if (numbers.length === 0 || numbers.length < rewards.length) return undefined;
  return numbers.reduce((sum, reward) => sum + reward, 0) / numbers.length;
}

function toValue(text: string): unknown {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { createLineSplitter } from '../../agent/line-splitter.js';
import { formatDuration } from '../../domain/quantity.js';
import type { CommandResult } from '../../operations/run-command.js';
import { createOutputTail } from '../../workspace/output-tail.js';
import type { GradingBench } from './grading-bench.js';

export interface ScriptResult {
  /** `unable`: there was nothing to run; `broken`: it says nothing about the work, because something else gave way. */
  readonly ending: 'exited' | 'timed-out' | 'unable' | 'broken';
  readonly exitCode: number | null;
  /** How it ended, in words. */
  readonly words: string;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Whether more was printed than is kept. */
  readonly truncated: boolean;
  /** Processes that it left running; of those in a sandbox, which end with it, nobody knows. */
  readonly leftovers: number;
  /** The end of both streams, for people. */
  readonly tail: string;
}

/** Of each stream; the report of a large test suite is a few of them. */
const KEPT_BYTES = 16 * 1024 ** 2;
const TAIL_LINES = 40;
const TAIL_CHARACTERS = 4 * 1024;

/**
 * Runs text for the shell in the grader's environment. Nothing that it started runs when this returns. The log has
 * `shown` in its place, where it is more than the item says.
 */
export async function runScript(
  { environment, item, signal, onLine }: GradingBench,
  script: string,
  timeoutMs: number,
  shown = script,
): Promise<ScriptResult> {
  const tail = createOutputTail(TAIL_LINES);
  const lines = {
    stdout: createLineSplitter(text => onLine?.('stdout', text)),
    stderr: createLineSplitter(text => onLine?.('stderr', text)),
  };
  onLine?.('activity', `$ ${shown}`);
  const result = await environment.run({
    command: ['sh', '-c', script],
    environment: item.environment,
    timeoutMs,
    signal,
    maxOutputBytes: KEPT_BYTES,
    onOutput: (stream, chunk) => {
      tail.add(chunk);
      lines[stream].add(chunk);
    },
  });
  for (const splitter of Object.values(lines)) splitter.end();
  return describe(result, timeoutMs, tail.text().slice(-TAIL_CHARACTERS));
}

function describe(result: CommandResult, timeoutMs: number, tail: string): ScriptResult {
  const { exitCode, stdout, stderr, truncated, leftovers } = result;
  return { ...nameEnding(result, timeoutMs), exitCode, stdout, stderr, truncated, leftovers, tail };
}

function nameEnding(result: CommandResult, timeoutMs: number): Pick<ScriptResult, 'ending' | 'words'> {
  const { exitCode, signal, limit } = result;
  if (result.cancelled) return { ending: 'broken', words: 'was cancelled' };
  if (result.sandboxDied) return { ending: 'broken', words: 'was ended with its sandbox' };
  if (result.survivors?.length) return { ending: 'broken', words: 'left processes that could not be ended' };
  if (result.timedOut)
    return { ending: 'timed-out', words: `did not end within ${formatDuration(timeoutMs)}` };
  if (limit) return { ending: 'exited', words: `ran into the limit of ${limit}` };
  if (exitCode === null) return { ending: 'exited', words: `was ended by ${signal ?? 'a signal'}` };
  // What POSIX gives the shell for a program that is not found or can't be executed.
  const ending = exitCode === 126 || exitCode === 127 ? 'unable' : 'exited';
  return { ending, words: `ended with exit status ${exitCode}` };
}

/** For the findings: what is left may have written a result. */
export const describeLeftovers = (count: number): string[] =>
  count === 0 ? [] : [`what was tested left ${count === 1 ? 'a process' : `${count} processes`} running`];

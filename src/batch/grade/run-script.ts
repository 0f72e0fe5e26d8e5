import { runFollowed, splitLines } from '../../attempt/run-followed.js';
import type { CommandResult } from '../../domain/command/command.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { GradingBench } from './grading-context.js';

export interface ScriptResult extends Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr' | 'truncated'> {
  /** `unable`: there was nothing to run; `broken`: it says nothing about the work, because something else failed. */
  readonly ending: 'exited' | 'timed-out' | 'unable' | 'broken';
  /** How it ended, as text. */
  readonly words: string;
  /** Processes that it left running; unknown in a sandbox, where they are killed with it. */
  readonly leftovers: number;
  /** The end of both streams, for human readers. */
  readonly tail: string;
}

/** Per stream; the report of a large test suite is a few MiB. */
const KEPT_BYTES = 16 * 1024 ** 2;
const TAIL_LINES = 40;
const TAIL_CHARACTERS = 4 * 1024;

/**
 * Runs shell text in the grader's environment. Nothing that it started runs when this returns. The log shows
 * `shown` instead, where the text is more than the item's own command.
 */
export async function runScript(
  { environment, item, signal, onLine }: GradingBench,
  script: string,
  timeoutMs: number,
  shown = script,
): Promise<ScriptResult> {
  onLine?.('activity', `$ ${shown}`);
  const { result, tail } = await runFollowed(
    environment,
    {
      command: ['sh', '-c', script],
      environment: item.environment,
      timeoutMs,
      signal,
      maxOutputBytes: KEPT_BYTES,
    },
    { tailLines: TAIL_LINES, readers: onLine && splitLines(onLine) },
  );
  return describe(result, timeoutMs, tail.slice(-TAIL_CHARACTERS));
}

function describe(result: CommandResult, timeoutMs: number, tail: string): ScriptResult {
  const { exitCode, stdout, stderr, truncated, leftovers = 0 } = result;
  return { ...nameEnding(result, timeoutMs), exitCode, stdout, stderr, truncated, leftovers, tail };
}

function nameEnding(result: CommandResult, timeoutMs: number): Pick<ScriptResult, 'ending' | 'words'> {
  const { exitCode, signal, limit } = result;
  if (result.cancelled) return { ending: 'broken', words: 'was cancelled' };
  if (result.sandboxDied) return { ending: 'broken', words: 'was killed with its sandbox' };
  if (result.survivors?.length) return { ending: 'broken', words: 'left processes that could not be killed' };
  if (result.timedOut)
    return { ending: 'timed-out', words: `did not finish within ${formatDuration(timeoutMs)}` };
  if (limit) return { ending: 'exited', words: `reached the limit for ${limit}` };
  if (exitCode === null) return { ending: 'exited', words: `was killed by ${signal ?? 'a signal'}` };
  // The POSIX exit statuses for a program that is not found or not executable.
  const ending = exitCode === 126 || exitCode === 127 ? 'unable' : 'exited';
  return { ending, words: `exited with status ${exitCode}` };
}

/** For the findings: leftover processes may have written a result. */
export const describeLeftovers = (count: number): string[] =>
  count === 0 ? [] : [`the tested code left ${count === 1 ? 'a process' : `${count} processes`} running`];

import type { CommandResult } from '../../domain/command/command.js';
import { carrelError } from '../../domain/error/error.js';
import type { LimitName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import type { StopReason } from './early-stop.js';
import type { BubblewrapStatus } from './read-status.js';

/** What is known after bubblewrap has exited. */
export interface Facts {
  readonly result: CommandResult;
  readonly status: BubblewrapStatus;
  /** Why we stopped it, if we did. */
  readonly reason: StopReason | undefined;
  readonly survivors: readonly number[];
  readonly limits: Limits;
  /** Limits of the control group that were reached. */
  readonly hits: readonly LimitName[];
}

/**
 * The result of the command. Without proof that it was started it did not run: SANDBOX_REFUSED. A bubblewrap that was
 * killed can't give that proof; then the sandbox died with everything in it.
 */
export function describeOutcome(facts: Facts): CommandResult {
  const { result, reason, survivors } = facts;
  const died = reason === undefined && facts.status.exitCode === undefined;
  if (died && result.signal === null) throw refused(result);
  const limit = findLimit(facts);
  return {
    ...result,
    timedOut: reason === 'timed-out' || reason === 'time-limit',
    cancelled: reason === 'cancelled',
    ...(limit ? { limit } : {}),
    ...(died && !isInterrupt(result.signal) ? { sandboxDied: true } : {}),
    ...(survivors.length > 0 ? { survivors } : {}),
  };
}

/** Ctrl-C at a terminal that was handed over stops bubblewrap like every program. */
const isInterrupt = (signal: NodeJS.Signals | null): boolean => signal === 'SIGINT' || signal === 'SIGQUIT';

function refused({ stderr, exitCode }: CommandResult): Error {
  const problem = stderr.toString('utf8').trim().split('\n').at(-1) || `it exited with ${exitCode}`;
  return carrelError('SANDBOX_REFUSED', { runtime: 'bubblewrap', problem });
}

/** For a command killed by SIGXFSZ, which is signal 25 on the supported architectures. */
const FILE_TOO_LARGE = 128 + 25;

/** `timedOut` also reports a timeout, so other limits come first. */
function findLimit({ limits, result, reason, hits }: Facts): LimitName | undefined {
  if (reason === 'disk-limit') return 'disk';
  if (hits[0]) return hits[0];
  if (limits.fileSize !== undefined && result.exitCode === FILE_TOO_LARGE) return 'fileSize';
  return reason === 'time-limit' ? 'time' : undefined;
}

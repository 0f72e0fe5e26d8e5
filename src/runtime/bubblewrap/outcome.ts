import { carrelError } from '../../domain/error.js';
import type { LimitName } from '../../domain/runtime.js';
import type { Limits } from '../../domain/sandbox.js';
import type { RunResult } from '../../exec/run.js';
import type { SandboxResult } from '../runtime.js';
import type { EndReason } from './ending.js';
import type { BubblewrapStatus } from './status.js';

/** What is known when bubblewrap has ended. */
export interface Facts {
  readonly result: RunResult;
  readonly status: BubblewrapStatus;
  /** Why we have ended it, if we have. */
  readonly reason: EndReason | undefined;
  readonly survivors: readonly number[];
  readonly limits: Limits;
  /** Limits of the control group that were run into. */
  readonly hits: readonly LimitName[];
}

/**
 * How the command went. Without the proof that it was started it did not go at all: SANDBOX_REFUSED. A bubblewrap that
 * somebody killed can't give the proof; the sandbox died then, with whatever ran in it.
 */
export function describeOutcome(facts: Facts): SandboxResult {
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

/** Ctrl-C at a terminal that was handed over ends bubblewrap as it ends every program. */
const isInterrupt = (signal: NodeJS.Signals | null): boolean => signal === 'SIGINT' || signal === 'SIGQUIT';

function refused({ stderr, exitCode }: RunResult): Error {
  const problem = stderr.toString('utf8').trim().split('\n').at(-1) || `it ended with ${exitCode}`;
  return carrelError('SANDBOX_REFUSED', { runtime: 'bubblewrap', problem });
}

/** Of a command that was killed with SIGXFSZ, which is 25 where there are sandboxes. */
const FILE_TOO_LARGE = 128 + 25;

/** That time ran out is told by `timedOut` too, so what else was run into comes first. */
function findLimit({ limits, result, reason, hits }: Facts): LimitName | undefined {
  if (reason === 'disk-limit') return 'disk';
  if (hits[0]) return hits[0];
  if (limits.fileSize !== undefined && result.exitCode === FILE_TOO_LARGE) return 'fileSize';
  return reason === 'time-limit' ? 'time' : undefined;
}

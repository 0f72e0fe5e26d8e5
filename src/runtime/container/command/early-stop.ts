import type { CommandResult } from '../../../domain/command/command.js';
import type { LimitName } from '../../../domain/sandbox/runtime-finding.js';
import { isAlive } from '../../../exec/process/identify-process.js';
import type { RunProcess } from '../../../exec/run-process.js';
import { watchDiskOf } from '../../limits/watch-sandbox-disk.js';
import type { Policy } from '../../policy.js';
import type { SandboxCommand } from '../../runtime.js';
import type { Engine } from '../engine/engine.js';
import type { RunningContainer } from '../lifecycle/container-record.js';
import type { OutputReader } from './read-output.js';
import { stopCommand } from './stop-command.js';

export interface EarlyStopOptions {
  readonly engine: Engine;
  readonly run: RunProcess;
  readonly container: RunningContainer;
  readonly commandId: string;
  readonly command: SandboxCommand;
  readonly policy: Policy;
  readonly output: OutputReader;
}

/** Stops a command in a container early, and the engine's own process when it has no reason to continue. */
export interface EarlyStop {
  /** Stops only the engine's own process. */
  readonly signal: AbortSignal;
  /** Waits for the engine's process while the limits and the caller's signal apply. */
  watch(running: Promise<CommandResult>): Promise<CommandResult>;
  outcome(): StopOutcome;
}

type StopOutcome = Pick<CommandResult, 'timedOut' | 'cancelled' | 'survivors'> & {
  readonly limit?: LimitName;
};

type Reason = 'timed-out' | 'time-limit' | 'disk-limit' | 'cancelled' | 'failed';

const DEFAULT_GRACE_MS = 2000;

export function createEarlyStop(options: EarlyStopOptions): EarlyStop {
  const { command } = options;
  const engineEnd = new AbortController();
  let reason: Reason | undefined;
  let hasEnded = false;
  let ending: Promise<readonly number[]> = Promise.resolve([]);
  let survivors: readonly number[] = [];

  const end = (why: Reason): void => {
    if (reason || hasEnded) return;
    reason = why;
    const inside = { ...options, graceMs: command.graceMs ?? DEFAULT_GRACE_MS };
    ending = stopCommand(inside, () => hasEnded).finally(() => engineEnd.abort());
  };
  const disarm = [
    armTimers(command, options.policy.limits.time, end),
    armSignal(command.signal, () => end('cancelled')),
    armDisk(options, () => end('disk-limit')),
    armQuiet(options, () => engineEnd.abort()),
  ];
  return {
    signal: engineEnd.signal,
    watch: async running => {
      try {
        return await running;
      } catch (error) {
        // The engine's process is gone because a callback failed, but the command still runs.
        end('failed');
        throw error;
      } finally {
        hasEnded = true;
        await Promise.all(disarm.map(stop => stop()));
        survivors = await ending;
      }
    },
    outcome: () => ({
      timedOut: reason === 'timed-out' || reason === 'time-limit',
      cancelled: reason === 'cancelled',
      ...(survivors.length > 0 ? { survivors } : {}),
      ...(reason === 'time-limit' ? { limit: 'time' } : {}),
      ...(reason === 'disk-limit' ? { limit: 'disk' } : {}),
    }),
  };
}

/** The longest delay of a timer (24.8 days); Node treats a longer one as 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function armTimers(
  { timeoutMs }: SandboxCommand,
  timeLimit: number | undefined,
  end: (why: Reason) => void,
): () => void {
  const arm = (limitMs: number | undefined, why: Reason) =>
    limitMs === undefined ? undefined : setTimeout(() => end(why), Math.min(limitMs, LONGEST_TIMER_MS));
  const timers = [arm(timeLimit, 'time-limit'), arm(timeoutMs, 'timed-out')];
  return () => timers.forEach(clearTimeout);
}

function armSignal(signal: AbortSignal | undefined, cancel: () => void): () => void {
  signal?.addEventListener('abort', cancel, { once: true });
  if (signal?.aborted) cancel();
  return () => signal?.removeEventListener('abort', cancel);
}

function armDisk({ run, policy }: EarlyStopOptions, end: () => void): () => Promise<void> | undefined {
  const directories = policy.mounts.flatMap(mount =>
    mount.kind === 'bind' && mount.writable ? [mount.from] : mount.kind === 'overlay' ? [mount.upper] : [],
  );
  const watch = watchDiskOf(run, policy, directories, end);
  return () => watch?.stop();
}

/** Milliseconds without output after the command or its container has exited, until we stop waiting for the engine. */
const QUIET_MS = 250;

/**
 * docker's `exec` continues while any leftover process of the command has its output open, and podman's continues
 * forever when the container's first process was killed (observed with 20.10 and 4.3).
 */
function armQuiet({ output, container }: EarlyStopOptions, end: () => void): () => void {
  const { reports, lastAt } = output;
  let deadSince: number | undefined;
  const isOver = (): boolean => {
    if (container.main && isAlive(container.main) === 'dead') deadSince ??= performance.now();
    const since = deadSince ?? (reports.exitCode === undefined ? Number.POSITIVE_INFINITY : 0);
    return performance.now() - Math.max(since, lastAt()) > QUIET_MS;
  };
  const timer = setInterval(() => {
    if (isOver()) end();
  }, QUIET_MS);
  return () => clearInterval(timer);
}

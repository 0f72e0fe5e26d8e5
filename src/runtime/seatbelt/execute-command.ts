import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandResult } from '../../domain/command/command.js';
import { sandboxVariables } from '../../exec/stop/sandbox-processes.js';
import { launchWithin } from '../limits/launch-within-limits.js';
import { watchDiskOf } from '../limits/watch-sandbox-disk.js';
import type { Policy } from '../policy.js';
import type { SandboxCommand } from '../runtime.js';
import { STARTED, seatbeltArguments } from './arguments.js';
import { refused } from './expressible.js';
import { recordRunning } from './running-commands.js';
import type { SeatbeltRuntimeOptions } from './runtime.js';

/** Runs one command under its own rules. SANDBOX_REFUSED when they could not be applied; then nothing was run. */
export async function execInSeatbelt(
  options: SeatbeltRuntimeOptions,
  id: string,
  policy: Policy,
  command: SandboxCommand,
): Promise<CommandResult> {
  const report = openUnnamed(options.directory);
  const disk = new AbortController();
  const watch = watchLimit(options, policy, () => disk.abort());
  let forget = () => {};
  const onStart = (pid: number) => {
    forget = recordRunning(options.directory, id, pid);
    command.onStart?.(pid);
  };
  try {
    const given = { ...command, onStart };
    const result = await start(options, id, policy, { command: given, report, end: disk.signal });
    if (!isStarted(report) && !result.cancelled && !result.timedOut) throw refused(describe(result));
    return nameLimit(result, policy, command, disk.signal.aborted);
  } finally {
    closeSync(report);
    forget();
    await watch?.stop();
  }
}

interface Parts {
  readonly command: SandboxCommand;
  /** Where the shell inside reports that it has started. */
  readonly report: number;
  /** Aborted when the disk is full. */
  readonly end: AbortSignal;
}

function start(
  options: SeatbeltRuntimeOptions,
  id: string,
  policy: Policy,
  { command, report, end }: Parts,
): Promise<CommandResult> {
  const { command: words, environment, workingDirectory, terminal: _terminal, proxyPort, ...rest } = command;
  const args = seatbeltArguments(policy, { hidden: options.hidden, proxyPort, command: words });
  return options.run({
    ...rest,
    ...launchWithin([options.program, ...args], [], policy.limits),
    cwd: workingDirectory ?? policy.workingDirectory,
    env: { ...policy.environment, ...environment, ...sandboxVariables('seatbelt', id) },
    descriptors: [report],
    timeoutMs: timeOf(policy, command),
    signal: command.signal ? AbortSignal.any([command.signal, end]) : end,
  });
}

function timeOf({ limits }: Policy, { timeoutMs }: SandboxCommand): number | undefined {
  const least = Math.min(limits.time ?? Number.POSITIVE_INFINITY, timeoutMs ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(least) ? least : undefined;
}

/** A file that only inheriting processes can use: the rules are about opening files. */
function openUnnamed(directory: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `.started-${randomUUID()}`);
  const descriptor = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return descriptor;
}

function isStarted(report: number): boolean {
  const content = Buffer.alloc(Math.min(fstatSync(report).size, STARTED.length));
  readSync(report, content, 0, content.length, 0);
  return content.toString('latin1') === STARTED;
}

const describe = ({ stderr, exitCode, signal }: CommandResult): string =>
  stderr.toString('utf8').trim().split('\n').at(-1) || `it exited with ${exitCode ?? signal}`;

function watchLimit({ run }: SeatbeltRuntimeOptions, policy: Policy, onFull: () => void) {
  const written = policy.mounts.flatMap(mount =>
    mount.kind === 'bind' && mount.writable ? [mount.from] : [],
  );
  return watchDiskOf(run, policy, written, onFull);
}

/** For a command killed by SIGXFSZ, which is 25 on macOS too. */
const FILE_TOO_LARGE = 128 + 25;

function nameLimit(
  result: CommandResult,
  { limits }: Policy,
  command: SandboxCommand,
  isFull: boolean,
): CommandResult {
  if (isFull) return { ...result, cancelled: command.signal?.aborted ?? false, limit: 'disk' };
  const isTooLarge = result.signal === 'SIGXFSZ' || result.exitCode === FILE_TOO_LARGE;
  if (limits.fileSize !== undefined && isTooLarge) return { ...result, limit: 'fileSize' };
  const isLimited =
    limits.time !== undefined && limits.time < (command.timeoutMs ?? Number.POSITIVE_INFINITY);
  return result.timedOut && isLimited ? { ...result, limit: 'time' } : result;
}

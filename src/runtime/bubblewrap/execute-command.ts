import type { CommandResult } from '../../domain/command/command.js';
import { sandboxVariables } from '../../exec/stop/sandbox-processes.js';
import { waitUntilDead } from '../../exec/stop/wait-until-dead.js';
import type { DiskWatch } from '../limits/disk-watch.js';
import { launchWithin } from '../limits/launch-within-limits.js';
import { watchDiskOf } from '../limits/watch-sandbox-disk.js';
import { type OwnNetwork, openOwnNetwork } from '../own-network/open-own-network.js';
import type { SandboxCommand } from '../runtime.js';
import { type AnonymousFiles, openAnonymousFiles } from './anonymous-file.js';
import { bubblewrapArguments, hideArguments } from './arguments.js';
import { describeOutcome } from './describe-outcome.js';
import { createEarlyStop, type EarlyStop } from './early-stop.js';
import type { PreparedSandbox } from './prepare-sandbox.js';
import { type BubblewrapStatus, readStatus } from './read-status.js';

/**
 * Runs one command in its own bubblewrap. SANDBOX_REFUSED when the command was not started,
 * OWN_NETWORK_UNAVAILABLE when there is no network to start it in.
 */
export async function execInBubblewrap(
  given: PreparedSandbox,
  command: SandboxCommand,
): Promise<CommandResult> {
  const sandbox = command.isOffline ? withoutNetwork(given) : given;
  const isCancelled = command.signal?.aborted === true;
  const network =
    sandbox.policy.network === 'full' && !isCancelled ? await openOwnNetwork(sandbox.options) : undefined;
  try {
    return await execWithin(sandbox, command, network);
  } finally {
    await network?.close();
  }
}

const withoutNetwork = (sandbox: PreparedSandbox): PreparedSandbox => ({
  ...sandbox,
  policy: { ...sandbox.policy, network: 'none' },
});

async function execWithin(
  sandbox: PreparedSandbox,
  command: SandboxCommand,
  network: OwnNetwork | undefined,
): Promise<CommandResult> {
  const { policy, options } = sandbox;
  const group = sandbox.createGroup();
  const ending = createEarlyStop(sandbox.workspaceId, command, policy.limits.time);
  const files = openAnonymousFiles(options.directory, options.unique);
  const disk = watchLimit(sandbox, ending);
  try {
    const status = files.create('');
    const result = await start(sandbox, command, {
      ending,
      files,
      status,
      memberFiles: group?.memberFiles ?? [],
      enter: network?.enter ?? [],
    });
    ending.finish();
    const reported = readStatus(status);
    const survivors = await findSurvivors(result, reported);
    const hits = group?.findHits() ?? [];
    const { limits } = policy;
    return describeOutcome({ result, status: reported, reason: ending.reason(), survivors, limits, hits });
  } finally {
    ending.finish();
    files.close();
    await group?.remove();
    await disk?.stop();
  }
}

interface Parts {
  readonly ending: EarlyStop;
  readonly files: AnonymousFiles;
  /** Where bubblewrap writes its status. */
  readonly status: number;
  readonly memberFiles: readonly string[];
  /** What precedes bubblewrap, to start it in another network. */
  readonly enter: readonly string[];
}

/** Numbers of the descriptors as bubblewrap sees them. */
const SECCOMP = 3;
const STATUS = 4;
const ARGUMENTS = 5;

function start(
  sandbox: PreparedSandbox,
  command: SandboxCommand,
  { ending, files, status, memberFiles, enter }: Parts,
): Promise<CommandResult> {
  const limits = { prlimit: sandbox.means.prlimit, pids: sandbox.policy.limits.pids };
  const inner = innerCommand(command.command, limits);
  const { args, data } = hideArguments(renderArguments(sandbox, command, inner), inner, ARGUMENTS);
  const descriptors = [files.create(sandbox.filter), status, files.create(data)];
  const [program, ...rest] = [...enter, sandbox.bubblewrap.program, ...args];
  // The early stop watches its time limit and signal.
  const { timeoutMs: _time, ...streams } = command;
  return sandbox.options.run({
    ...streams,
    ...launchWithin(
      [program as string, ...rest],
      memberFiles,
      sandbox.policy.limits,
      sandbox.policy.usual?.oomScore,
    ),
    cwd: '/',
    env: { ...sandboxVariables('bubblewrap', sandbox.workspaceId), LC_ALL: 'C' },
    descriptors,
    signal: ending.signal,
    graceMs: 0,
    onStart: pid => {
      ending.started(pid);
      command.onStart?.(pid);
    },
  });
}

/** Bubblewrap's first process inside, and the one that becomes the command. */
const OWN_PROCESSES = 2;

/**
 * What bubblewrap starts inside: a program that becomes the command, so that a missing command
 * (127) or one that is not executable (126) differ, as in shells, from a failed sandbox: bubblewrap itself
 * exits with 1 for both. It also sets the limit on processes, which counts within the sandbox only if it is
 * set there.
 */
function innerCommand(
  command: readonly string[],
  limits: { readonly prlimit: string | undefined; readonly pids: number | undefined },
): string[] {
  if (limits.prlimit !== undefined && limits.pids !== undefined) {
    const most = limits.pids + OWN_PROCESSES;
    return [limits.prlimit, `--nproc=${most}:${most}`, '--', ...command];
  }
  // `env` treats a word with an equals sign as a variable.
  if (command[0]?.includes('=')) return ['/bin/sh', '-c', 'exec "$@"', 'sh', ...command];
  return ['/usr/bin/env', '--', ...command];
}

function renderArguments(
  sandbox: PreparedSandbox,
  command: SandboxCommand,
  inner: readonly string[],
): string[] {
  const { policy, bubblewrap, layout, ownEtc, scratchBytes, options } = sandbox;
  const { disableUserns, canSize, canOverlay } = bubblewrap;
  const { environment, workingDirectory, terminal } = command;
  return bubblewrapArguments(policy, {
    ...{ layout, ownEtc, disableUserns, canSize, canOverlay, scratchBytes },
    ...{ environment, workingDirectory, terminal },
    callerIsRoot: options.uid === 0,
    seccompDescriptor: SECCOMP,
    statusDescriptor: STATUS,
    command: inner,
  });
}

function watchLimit({ policy, options }: PreparedSandbox, ending: EarlyStop): DiskWatch | undefined {
  const written = policy.mounts.flatMap(mount => {
    if (mount.kind === 'overlay') return [mount.upper];
    return mount.kind === 'bind' && mount.writable ? [mount.from] : [];
  });
  return watchDiskOf(options.run, policy, written, () => ending.begin('disk-limit'));
}

/** bubblewrap exits with the command, and the kernel kills what is left inside: this takes a moment longer. */
const EXIT_MS = 5000;

async function findSurvivors(
  result: CommandResult,
  { firstPid }: BubblewrapStatus,
): Promise<readonly number[]> {
  const isDead = firstPid === undefined || (await waitUntilDead(firstPid, EXIT_MS));
  return [...(result.survivors ?? []), ...(isDead ? [] : [firstPid])];
}

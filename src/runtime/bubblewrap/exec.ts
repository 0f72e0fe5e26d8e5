import type { RunResult } from '../../exec/run.js';
import { sandboxVariables } from '../../exec/sandbox-processes.js';
import { waitUntilDead } from '../../exec/wait-until-dead.js';
import { type DiskWatch, watchDisk } from '../limits/disk-watch.js';
import { launchWithin } from '../limits/launch.js';
import type { SandboxCommand, SandboxResult } from '../runtime.js';
import { type AnonymousFiles, openAnonymousFiles } from './anonymous-file.js';
import { bubblewrapArguments, hideArguments } from './arguments.js';
import { createEnding, type Ending } from './ending.js';
import { innerCommand } from './inner-command.js';
import { describeOutcome } from './outcome.js';
import type { PreparedSandbox } from './prepare.js';
import { type BubblewrapStatus, readStatus } from './status.js';

/** Runs one command in a bubblewrap of its own. SANDBOX_REFUSED when it did not come to start the command. */
export async function execInBubblewrap(
  sandbox: PreparedSandbox,
  command: SandboxCommand,
): Promise<SandboxResult> {
  const { policy, options } = sandbox;
  const group = sandbox.createGroup();
  const ending = createEnding(sandbox.workspaceId, command, policy.limits.time);
  const files = openAnonymousFiles(options.directory, options.unique);
  const disk = watchLimit(sandbox, ending);
  try {
    const status = files.create('');
    const result = await start(sandbox, command, {
      ending,
      files,
      status,
      memberFiles: group?.memberFiles ?? [],
    });
    ending.finish();
    const told = readStatus(status);
    const survivors = await findSurvivors(result, told);
    const hits = group?.findHits() ?? [];
    const { limits } = policy;
    return describeOutcome({ result, status: told, reason: ending.reason(), survivors, limits, hits });
  } finally {
    ending.finish();
    files.close();
    await group?.remove();
    await disk?.stop();
  }
}

interface Parts {
  readonly ending: Ending;
  readonly files: AnonymousFiles;
  /** Where bubblewrap tells how it went. */
  readonly status: number;
  readonly memberFiles: readonly string[];
}

/** Numbers of the descriptors as bubblewrap sees them. */
const SECCOMP = 3;
const STATUS = 4;
const ARGUMENTS = 5;

function start(
  sandbox: PreparedSandbox,
  command: SandboxCommand,
  { ending, files, status, memberFiles }: Parts,
): Promise<RunResult> {
  const limits = { prlimit: sandbox.means.prlimit, pids: sandbox.policy.limits.pids };
  const inner = innerCommand(command.command, limits);
  const { args, data } = hideArguments(renderArguments(sandbox, command, inner), inner, ARGUMENTS);
  const descriptors = [files.create(sandbox.filter), status, files.create(data)];
  // Its time and its signal are the ending's to watch.
  const { timeoutMs: _time, ...streams } = command;
  return sandbox.options.run({
    ...streams,
    ...launchWithin([sandbox.bubblewrap.program, ...args], memberFiles, sandbox.policy.limits),
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

function watchLimit({ policy, options }: PreparedSandbox, ending: Ending): DiskWatch | undefined {
  const { disk } = policy.limits;
  if (disk === undefined) return undefined;
  const written = policy.mounts.flatMap(mount => {
    if (mount.kind === 'overlay') return [mount.upper];
    return mount.kind === 'bind' && mount.writable ? [mount.from] : [];
  });
  return watchDisk(options.run, written, disk, () => ending.begin('disk-limit'));
}

/** Bubblewrap ends with the command, and the kernel ends what is left inside: this takes a moment more. */
const LAST_MS = 5000;

async function findSurvivors(result: RunResult, { firstPid }: BubblewrapStatus): Promise<readonly number[]> {
  const isDead = firstPid === undefined || (await waitUntilDead(firstPid, LAST_MS));
  return [...(result.survivors ?? []), ...(isDead ? [] : [firstPid])];
}

import type { Command, CommandResult } from '../../domain/command/command.js';
import type { WorkspaceEnvironment } from '../../domain/command/environment.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { trackTree } from '../../exec/process/process-tree.js';
import { killTree } from '../../exec/stop/kill-tree.js';
import { parentVariables } from '../../exec/stop/orphans.js';
import { killStrays } from '../../exec/stop/stray-processes.js';
import type { Context } from '../context.js';
import { runInside } from '../sandbox/run-in-sandbox.js';
import { type RecordedCommand, whileRecorded } from './record-command.js';
import { type HostCommand, runOnHost } from './run-on-host.js';

/**
 * A workspace for the commands of a task: inside the sandbox when it has one, else in its directory on the host. When a command
 * returns, nothing that it has started still runs; on the host, nothing that can be distinguished from the user's own programs (see
 * exec/process/process-tree.ts and exec/stop/stray-processes.ts). PROGRAM_MISSING on the host; inside it is exit status 126 or 127.
 */
export const openEnvironment = (context: Context, record: WorkspaceRecord): WorkspaceEnvironment => ({
  ...describe(record),
  run: command =>
    whileRecorded(
      context,
      record,
      command.command,
      recorded =>
        record.sandbox
          ? runInsideAndStopLeftovers(context, record, command, recorded)
          : runOnHostAndStopLeftovers(context, record, command, recorded),
      // A task has several commands to an attempt, and commits after it.
      { isCheckpointed: false },
    ),
});

/** A command of the user's, on a terminal or for a program that reads it. */
export interface UserCommand extends HostCommand {
  /** Whether the command itself gets the terminal, also inside a sandbox. */
  readonly terminal?: boolean | undefined;
  /** Called when nothing blocks the command any more, before it starts. */
  readonly beforeStart?: (() => void) | undefined;
}

export interface UserEnvironment extends WorkspaceEnvironment {
  run(command: UserCommand): Promise<CommandResult>;
}

/**
 * A workspace for the user's commands: what they leave running stays, such as a server, and a checkpoint is taken after each.
 * With `isOnHost` they run on the host even when the workspace has a sandbox.
 */
export const openUserEnvironment = (
  context: Context,
  record: WorkspaceRecord,
  { isOnHost = false } = {},
): UserEnvironment => ({
  ...describe(record),
  run: ({ beforeStart, terminal, isForPerson, ...command }) =>
    whileRecorded(context, record, command.command, async recorded => {
      beforeStart?.();
      return record.sandbox && !isOnHost
        ? await runInside(context, record, { ...command, ...recorded, terminal })
        : await runOnHost(context, record, recorded, { ...command, isForPerson });
    }),
});

const describe = ({ path, sandbox, runtime }: WorkspaceRecord) => ({
  workingDirectory: path,
  isSandboxed: sandbox !== undefined,
  runtime,
});

async function runOnHostAndStopLeftovers(
  context: Pick<Context, 'backends' | 'self' | 'environment' | 'store'>,
  record: WorkspaceRecord,
  { endsLeftovers = true, ...command }: Command,
  recorded: RecordedCommand,
): Promise<CommandResult> {
  let started: ProcessIdentity | undefined;
  const onStart = (pid: number) => {
    // Even if it died before it could be identified, it may have left processes that started after us.
    started = identifyProcess(pid) ?? { ...context.self, pid };
    recorded.onStart(pid);
  };
  const endAll = () => stopLeftovers(context, record, started, recorded.id);
  try {
    // With this a later Carrel finds processes that survive this one, even if they were started just before.
    const environment = { ...command.environment, ...parentVariables(context.self) };
    const result = await runOnHost(context, record, { ...recorded, onStart }, { ...command, environment });
    return { ...result, leftovers: endsLeftovers ? await endAll() : 0 };
  } catch (error) {
    await endAll();
    throw error;
  }
}

/** Time between SIGTERM and SIGKILL for leftover processes. */
const GRACE_MS = 2000;

/** Returns their number. */
async function stopLeftovers(
  { backends }: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
  started: ProcessIdentity | undefined,
  marker: string,
): Promise<number> {
  if (!started) return 0;
  // No other process can have its pid: it has only just exited.
  const root = { pid: started.pid };
  const left = trackTree(root, marker).living().length;
  if (left > 0) await killTree(root, { graceMs: GRACE_MS, marker });
  // In the user's own directory other programs may start.
  if (!backends.of(record.backend).ownsFiles) return left;
  return left + (await killStrays(record.path, started, { graceMs: GRACE_MS }));
}

async function runInsideAndStopLeftovers(
  context: Pick<Context, 'sandboxes' | 'narrate'>,
  record: WorkspaceRecord,
  { endsLeftovers = true, ...command }: Command,
  { id, onStart }: RecordedCommand,
): Promise<CommandResult> {
  const result = await runInside(context, record, { ...command, id, onStart });
  const sandboxes = await context.sandboxes();
  // Processes left inside bubblewrap died with it; a container keeps running.
  if (endsLeftovers && sandboxes.runtimes[record.runtime].capabilities.longLived)
    await sandboxes.stop(record);
  return { ...result, leftovers: 0 };
}

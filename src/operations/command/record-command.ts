import { carrelError, isCarrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { checkpointIfChanged, checkpointRegularly } from '../capture/checkpoint-if-changed.js';
import type { Context } from '../context.js';
import { listParts } from '../group/group-records.js';
import { requireReady } from '../guard/require-ready.js';

/** Passed to the code that runs the command: its id, and a callback for its pid. */
export interface RecordedCommand {
  readonly id: string;
  readonly onStart: (pid: number) => void;
}

export interface RecordOptions {
  /** False when the caller takes a checkpoint after the command. */
  readonly isCheckpointed?: boolean | undefined;
}

/**
 * Runs a command while it is recorded in the store: until it has finished, removing the workspace is refused. Its changes are saved by
 * checkpoints, during and after it.
 */
export async function whileRecorded<T>(
  context: Context,
  record: WorkspaceRecord,
  command: readonly string[],
  run: (recorded: RecordedCommand) => Promise<T>,
  options: RecordOptions = {},
): Promise<T> {
  // With a sandbox the command works in all parts.
  for (const part of record.sandbox ? await listParts(context, record) : [record])
    await requireReady(context, part);
  if (!command[0])
    throw carrelError('INVALID_INPUT', { what: 'the command', found: 'empty', expected: 'a program to run' });
  const id = createId('op', context.ids);
  await touch(context, record);
  const offering = checkpointRegularly(context, record);
  let recording = Promise.resolve();
  try {
    return await run({
      id,
      onStart: pid => {
        recording = recordCommand(context, record, id, pid, command.join(' '));
      },
    });
  } finally {
    await offering.stop();
    await recording;
    await removeCommandRecord(context, record, id);
    if (options.isCheckpointed !== false) await checkpointIfChanged(context, record);
  }
}

async function recordCommand(
  context: Pick<Context, 'store' | 'now'>,
  record: WorkspaceRecord,
  id: string,
  pid: number,
  command: string,
): Promise<void> {
  const process = identifyProcess(pid);
  if (!process) return;
  const startedAt = new Date(context.now()).toISOString();
  await context.store.commands.insert({ id, workspaceId: record.id, process, command, startedAt });
}

/** The command has run: failing to record its end, because the disk is full, does not change its result. */
async function removeCommandRecord(
  context: Pick<Context, 'store' | 'now' | 'narrate'>,
  record: WorkspaceRecord,
  id: string,
): Promise<void> {
  try {
    await context.store.commands.remove(id);
    await touch(context, record);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: the result of the command could not be recorded: ${error.message}`);
  }
}

const touch = (context: Pick<Context, 'store' | 'now'>, record: WorkspaceRecord): Promise<void> =>
  context.store.workspaces.touch(record.id, new Date(context.now()).toISOString());

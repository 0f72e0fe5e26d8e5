import { carrelError, isCarrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { identifyProcess } from '../exec/process-identity.js';
import type { Context } from './context.js';
import { requireReady } from './require-ready.js';

/** Handed to whoever runs the command: its id, and what to call with its pid. */
export interface RecordedCommand {
  readonly id: string;
  readonly onStart: (pid: number) => void;
}

/** Runs a command while the store says so: until it has ended, removing the workspace refuses. */
export async function whileRecorded<T>(
  context: Context,
  record: WorkspaceRecord,
  command: readonly string[],
  run: (recorded: RecordedCommand) => Promise<T>,
): Promise<T> {
  await requireReady(context, record);
  if (!command[0])
    throw carrelError('INVALID_INPUT', { what: 'the command', found: 'empty', expected: 'a program to run' });
  const id = createId('op', context.ids);
  await touch(context, record);
  let recording = Promise.resolve();
  try {
    return await run({
      id,
      onStart: pid => {
        recording = recordCommand(context, record, id, pid, command.join(' '));
      },
    });
  } finally {
    await recording;
    await forget(context, record, id);
  }
}

async function recordCommand(
  context: Context,
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

/** The command has run: that its end can't be recorded, because the disk is full now, does not change how it went. */
async function forget(context: Context, record: WorkspaceRecord, id: string): Promise<void> {
  try {
    await context.store.commands.remove(id);
    await touch(context, record);
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    context.narrate(`warning: the end of the command could not be recorded: ${error.message}`);
  }
}

const touch = (context: Context, record: WorkspaceRecord): Promise<void> =>
  context.store.workspaces.touch(record.id, new Date(context.now()).toISOString());

import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isMissing } from '../../domain/error/error.js';
import type { LogLine } from '../../domain/task/log-line.js';
import { isActive } from '../../domain/task/task-state.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import type { Context } from '../../operations/context.js';
import { findCurrentTask, isOnFleet } from '../record/current-task.js';
import { taskPlace } from '../record/task-place.js';
import { createLogParser } from './parse-log.js';

export interface ReadLogInput {
  /** Id, or a unique prefix of it. */
  readonly id: string;
  /** Continues until the task has ended. */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How often a follower checks for more. */
const POLL_MS = 150;

/**
 * The log of a task, oldest line first. Uses little memory for any length. A line that is being written is waited
 * for, one that was never finished is skipped; a missing log is empty. TASK_NOT_FOUND, TASK_AMBIGUOUS.
 */
export async function* readLog(
  context: Pick<Context, 'store' | 'places' | 'fleetTasks'>,
  input: ReadLogInput,
): AsyncGenerator<LogLine, void, void> {
  const { follow = false, signal } = input;
  const { id } = await findCurrentTask(context, input.id);
  const log = openLog(taskPlace(context.places.stateDir, id).logFile);
  try {
    for (;;) {
      // Checked before reading, so that everything written before the end is read.
      const mayGrow = follow && ((await mayStillWrite(context, id)) || log.isBeingWritten());
      for await (const lines of log.readNew()) {
        if (signal?.aborted) return;
        yield* lines;
      }
      const goesOn = mayGrow || (follow && log.isBeingWritten());
      if (!goesOn || signal?.aborted) return yield* log.readRest();
      await pause(signal);
    }
  } finally {
    await log.close();
  }
}

/** A task whose process is dead writes nothing more, even before recovery has noticed. */
async function mayStillWrite(context: Pick<Context, 'store' | 'fleetTasks'>, id: string): Promise<boolean> {
  const found = await context.store.tasks.find(id);
  // Of a task on a fleet the log comes back with its result.
  const task = found && isOnFleet(found) ? await (await context.fleetTasks()).refresh(found) : found;
  if (!task || !isActive(task.status)) return false;
  return task.owner === null || findOwnerState(task.owner) !== 'dead';
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await delay(POLL_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
}

const CHUNK_BYTES = 64 * 1024;

function openLog(file: string) {
  const parser = createLogParser();
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let handle: FileHandle | undefined;
  let position = 0;
  return {
    /** Everything written since the last read. */
    async *readNew(): AsyncGenerator<LogLine[], void, void> {
      handle ??= await openExisting(file);
      if (!handle) return;
      if ((await handle.stat()).size < position) {
        position = 0;
        parser.finish();
      }
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield parser.add(buffer.subarray(0, bytesRead));
      }
    },
    /** The part that was read. After the end of a task its process may still log landing and cleanup. */
    isBeingWritten: (): boolean => {
      const writer = parser.writer();
      return writer !== null && findOwnerState(writer) === 'alive';
    },
    /** The last line when only its end is missing. */
    readRest: () => parser.finish(),
    close: async () => handle?.close(),
  };
}

async function openExisting(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import type { Context } from '../context.js';
import { listParts } from '../group/group-records.js';
import { type CheckpointRules, findCheckpointRules } from '../settings/checkpoint-rules.js';
import { detectChange } from './detect-change.js';

/** Checking this many takes 10 ms: less than starting a process. */
const FEW = 2000;

/**
 * Takes a checkpoint in the background when something changed since the last one; starts no process otherwise. Never fails, and
 * never blocks longer than a check of a few files.
 */
export async function checkpointIfChanged(context: Context, record: WorkspaceRecord): Promise<void> {
  await unlessRefused(async () => {
    const changed: string[] = [];
    // A command in one part of a workspace with several repositories works in all of them.
    for (const { id } of await listParts(context, record))
      if (await isDue(context, id, FEW)) changed.push(id);
    if (changed.length > 0) await startCheckpoints(context, changed);
  });
}

/** The same for many workspaces, in a process that has time to check all of their files. Returns those that changed. */
export async function checkpointAllIfChanged(context: Context, ids: readonly string[]): Promise<string[]> {
  const changed: string[] = [];
  for (const id of ids)
    await unlessRefused(async () => {
      if (await isDue(context, id)) changed.push(id);
    });
  if (changed.length > 0) await unlessRefused(() => startCheckpoints(context, changed));
  return changed;
}

/**
 * Unreadable files, a full disk, a workspace that was just removed, a store that is being closed: none of these is a failure of the
 * command that has just run. `carrel show` reports lasting problems.
 */
const unlessRefused = (action: () => Promise<void>): Promise<void> => action().catch(() => undefined);

/** Whether something changed, or may have: with more than `most` files another process has to check. */
async function isDue(
  context: Pick<Context, 'store' | 'backends' | 'sandboxes' | 'places' | 'environment' | 'loadConfig'>,
  id: string,
  most?: number,
): Promise<boolean> {
  const record = await context.store.workspaces.find(id);
  if (record?.status !== 'ready' || isPending(record)) return false;
  if (!(await findCheckpointRules(context, record))) return false;
  return (await detectChange(context, record, most))?.isChanged !== false;
}

/** A started process has not checked yet, so it will see all changes up to now. */
const isPending = ({ checkpoint }: WorkspaceRecord): boolean =>
  checkpoint?.pending !== undefined && findOwnerState(checkpoint.pending) !== 'dead';

async function startCheckpoints(context: Context, ids: readonly string[]): Promise<void> {
  const { updateCheckpointState: remember, takeCheckpoints } = await import('./checkpoint.js');
  const pending = context.startBackground(['checkpoint', ...ids]);
  if (!pending) return takeCheckpoints(context, ids);
  for (const id of ids) await remember(context, id, { pending });
}

/** Requests one every few minutes until stopped; stopping waits for a running one. */
export function checkpointRegularly(context: Context, record: WorkspaceRecord): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let offered: Promise<void> | undefined;
  let isStopped = false;
  const offer = (): void => {
    offered ??= checkpointIfChanged(context, record).finally(() => {
      offered = undefined;
    });
  };
  const begin = (rules: CheckpointRules | undefined): void => {
    if (rules && !isStopped) timer = setInterval(offer, rules.intervalMs).unref();
  };
  // Callers that need the configuration report that it can't be read.
  findCheckpointRules(context, record).then(begin, () => undefined);
  return {
    stop: async () => {
      isStopped = true;
      clearInterval(timer);
      await offered;
    },
  };
}

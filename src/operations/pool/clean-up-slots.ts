import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { GcItem } from '../../domain/report/result.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { removeSlot } from '../../pool/lifecycle/remove-slot.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { removeAtEnd } from '../remains/remains-keeper.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { measureSlot } from './describe-slot.js';
import { describePool, withPool } from './open-pool.js';

export interface SlotCollection {
  /** All repositories when undefined. */
  readonly repository: Repository | undefined;
  readonly olderThanMs: number;
  readonly execute: boolean;
}

/** Warm workspaces that were unused for as long as workspaces are kept are removed too; they can be recreated. */
export async function collectSlots(context: Context, input: SlotCollection): Promise<GcItem[]> {
  const { slots } = await context.store.slots.list(input.repository?.id);
  const items: GcItem[] = [];
  for (const slot of slots) items.push(await plan(context, slot, input.olderThanMs));
  if (!input.execute) return items;
  const ids = new Set(items.filter(({ action }) => action === 'remove').map(({ id }) => id));
  const doomed = slots.filter(({ id }) => ids.has(id));
  const isOrphan = (slot: SlotRecord) => !existsSync(slot.commonDir);
  await removeOrphanedSlots(context, doomed.filter(isOrphan));
  const roots = new Set(doomed.filter(slot => !isOrphan(slot)).map(slot => slot.repository));
  for (const root of roots) await drain(context, root, input.olderThanMs);
  const left = new Set((await context.store.slots.list(input.repository?.id)).slots.map(({ id }) => id));
  return items.map(item => ({ ...item, outcome: left.has(item.id) ? 'kept' : 'removed' }));
}

/** Destroys free slots whose repository is gone: without it there is no pool to drain, and they are of no use. */
async function removeOrphanedSlots(context: Context, slots: readonly SlotRecord[]): Promise<void> {
  if (slots.length === 0) return;
  const keeper = removeAtEnd(context);
  for (const slot of slots.filter(({ status }) => status === 'free')) {
    const { repositoryId: id, repository: root, commonDir } = slot;
    const repository = { id, root, commonDir, name: basename(root), linkedWorktree: null };
    const pool = await describePool(context, repository, keeper.announce);
    await removeSlot(pool, slot).catch(error =>
      context.narrate(`warning: ${slot.directory} was kept: ${error}`),
    );
  }
  await keeper.close();
  await removeEmptyRoot(context);
}

async function plan(context: Pick<Context, 'now'>, slot: SlotRecord, olderThanMs: number): Promise<GcItem> {
  const { id, directory: path, status, lease } = slot;
  const keep = { kind: 'slot', id, name: id, path, action: 'keep', bytes: null, outcome: 'kept' } as const;
  if (status !== 'free' && status !== 'quarantined')
    return {
      ...keep,
      reason: lease ? `it is leased by ${lease.holder}` : `it is ${status} by another process`,
    };
  if (status !== 'free' && !existsSync(slot.commonDir))
    return { ...keep, reason: `its repository ${slot.repository} is gone, and it may have work in it` };
  const unusedMs = Math.max(0, context.now() - Date.parse(slot.changedAt));
  if (unusedMs < olderThanMs) {
    const reason = `used ${formatDuration(unusedMs)} ago, kept for ${formatDuration(olderThanMs)}`;
    return { ...keep, reason };
  }
  const why = status === 'quarantined' ? `in quarantine, its work is kept: ${slot.reason}` : 'never used';
  const reason = `not used for ${formatDuration(unusedMs)}, ${why}`;
  return { ...keep, action: 'remove', bytes: await measureSlot(slot), outcome: 'planned', reason };
}

/** A repository that can't be read now keeps its slots. */
async function drain(context: Context, root: string, olderThanMs: number): Promise<void> {
  const repository = await context.backends.git.locate(root).catch(() => undefined);
  if (repository) await withPool(context, repository, ({ pool }) => pool.drain(olderThanMs));
}

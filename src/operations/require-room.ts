import { join } from 'node:path';
import { formatSize } from '../domain/quantity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Repository } from '../workspace/backend.js';
import { requireRoom } from '../workspace/limits.js';
import type { Context } from './context.js';
import { collectGarbage } from './gc.js';
import { measureWorkspace } from './measure-workspace.js';
import type { Settings } from './settings.js';

/** Refuses one more workspace at a limit, and says what `gc` could free. */
export async function requireRoomFor(
  context: Context,
  repository: Repository,
  settings: Settings,
): Promise<void> {
  const records = await context.store.workspaces.list();
  await requireRoom({
    limits: settings.limits,
    existing: {
      count: records.filter(record => record.repositoryId === repository.id).length,
      bytes: () => measureAll(context, records),
    },
    freeable: () => describeFreeable(context, repository),
    root: rootOf(context, settings),
  });
}

/** The same for one more slot of a pool: it is nobody's workspace and not counted as one, but it takes space. */
export async function requireRoomForSlot(
  context: Context,
  repository: Repository,
  settings: Pick<Settings, 'root' | 'limits'>,
): Promise<void> {
  const { bytes, freeDisk } = settings.limits;
  const records = await context.store.workspaces.list();
  await requireRoom({
    limits: { bytes, freeDisk },
    existing: {
      count: 0,
      bytes: () => measureAll(context, records),
    },
    freeable: () => describeFreeable(context, repository),
    root: rootOf(context, settings),
  });
}

/** Where workspaces of this user go. */
export const rootOf = (context: Context, settings: Pick<Settings, 'root'>): string =>
  settings.root ?? join(context.places.cacheDir, 'worktrees');

async function measureAll(context: Context, records: readonly WorkspaceRecord[]): Promise<number> {
  let total = 0;
  for (const record of records) total += (await measureWorkspace(context, record)) ?? 0;
  return total;
}

async function describeFreeable(context: Context, repository: Repository): Promise<string> {
  const report = await collectGarbage(context, {
    repository: repository.root,
    all: repository.commonDir === null,
    execute: false,
    olderThanMs: 0,
  });
  const removable = report.items.filter(item => item.action === 'remove');
  const bytes = removable.reduce((sum, item) => sum + (item.bytes ?? 0), 0);
  return `${removable.length} item(s), ${formatSize(bytes)}`;
}

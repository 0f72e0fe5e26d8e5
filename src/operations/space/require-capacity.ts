import { formatSize } from '../../domain/text/format-quantity.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Repository } from '../../workspace/backend.js';
import { requireWithinLimits } from '../../workspace/location/workspace-limits.js';
import type { Context } from '../context.js';
import type { Settings } from '../settings/workspace-settings.js';
import { measureWorkspace } from './measure-workspace.js';
import { workspaceRootOf } from './workspace-root.js';

/** Refuses one more workspace at a limit, and reports what `gc` could free. */
export async function requireRoomFor(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'findFreeable'>,
  repository: Repository,
  settings: Settings,
): Promise<void> {
  const records = await context.store.workspaces.list();
  await requireWithinLimits({
    limits: settings.limits,
    existing: {
      count: records.filter(record => record.repositoryId === repository.id).length,
      bytes: () => measureAll(context, records),
    },
    freeable: () => describeFreeable(context, repository),
    root: workspaceRootOf(context, settings),
  });
}

/** The same for one more slot of a pool: it does not count as a workspace, but it takes space. */
export async function requireRoomForSlot(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'findFreeable'>,
  repository: Repository,
  settings: Pick<Settings, 'root' | 'limits'>,
): Promise<void> {
  const { bytes, freeDisk } = settings.limits;
  const records = await context.store.workspaces.list();
  await requireWithinLimits({
    limits: { bytes, freeDisk },
    existing: {
      count: 0,
      bytes: () => measureAll(context, records),
    },
    freeable: () => describeFreeable(context, repository),
    root: workspaceRootOf(context, settings),
  });
}

async function measureAll(
  context: Pick<Context, 'backends'>,
  records: readonly WorkspaceRecord[],
): Promise<number> {
  let total = 0;
  for (const record of records) total += (await measureWorkspace(context, record)) ?? 0;
  return total;
}

async function describeFreeable(
  context: Pick<Context, 'findFreeable'>,
  repository: Repository,
): Promise<string> {
  const { count, bytes } = await context.findFreeable(repository);
  return `${count} ${count === 1 ? 'item' : 'items'}, ${formatSize(bytes)}`;
}

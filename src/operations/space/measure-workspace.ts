import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { measureDiskUsage } from '../../workspace/files/directory-size.js';
import type { Context } from '../context.js';

/** Bytes on disk that removing a workspace frees; null when its files are not ours. Shared files don't count. */
export async function measureWorkspace(
  context: Pick<Context, 'backends'>,
  record: WorkspaceRecord,
): Promise<number | null> {
  const backend = context.backends.of(record.backend);
  if (!backend.ownsFiles) return null;
  if (!backend.mountsFiles) return measureDiskUsage(record.path);
  const [inspection] = await backend.inspect([record], { size: true });
  return inspection?.sizeBytes ?? null;
}

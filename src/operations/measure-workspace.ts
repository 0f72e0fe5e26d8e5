import type { WorkspaceRecord } from '../domain/workspace.js';
import { measureDirectory } from '../workspace/size.js';
import type { Context } from './context.js';

/** Bytes on disk that go with a workspace; null when its files are not ours. What it shares with others is not its own. */
export async function measureWorkspace(context: Context, record: WorkspaceRecord): Promise<number | null> {
  const backend = context.backends[record.backend];
  if (!backend.ownsFiles) return null;
  if (!backend.mountsFiles) return measureDirectory(record.path);
  const [inspection] = await backend.inspect([record], { size: true });
  return inspection?.sizeBytes ?? null;
}

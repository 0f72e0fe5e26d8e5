import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { requireDirectory } from '../git/locate.js';
import type { Repository } from './backend.js';

/** A directory as it is, standing in for a repository. NO_SUCH_DIRECTORY. */
export async function locateDirectory(path: string): Promise<Repository> {
  const root = await requireDirectory(path);
  return {
    id: createHash('sha256').update(root).digest('hex').slice(0, 16),
    name: basename(root) || 'root',
    root,
    commonDir: null,
    linkedWorktree: null,
  };
}

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { requireDirectory } from '../../git/repository/locate-git-repository.js';
import type { Repository } from '../backend.js';

/** A plain directory used as a repository. NO_SUCH_DIRECTORY. */
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

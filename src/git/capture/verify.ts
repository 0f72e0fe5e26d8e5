import { isCarrelError } from '../../domain/error.js';
import type { Git } from '../git.js';

/**
 * The commit of a snapshot when its ref is there and all objects that it adds to the history before it are; undefined
 * otherwise. Whether objects are there is asked, not whether each byte of them is sound; that is `git fsck`.
 */
export async function verifySnapshot(
  git: Git,
  snapshot: { readonly objectStore: string; readonly ref: string },
): Promise<string | undefined> {
  const at = { gitDir: snapshot.objectStore };
  try {
    const line = await git.text(['rev-list', '--parents', '--max-count=1', snapshot.ref, '--'], {
      ...at,
      answers: [0, 128],
    });
    const [commit, ...parents] = line.split(' ');
    if (!commit) return undefined;
    // Of a work tree's snapshot the first of three parents is HEAD, which the repository has by itself.
    const known = parents.length > 2 ? [`^${parents[0]}`] : [];
    const walk = ['rev-list', '--objects', '--quiet', '--missing=allow-promisor', commit, ...known];
    const result = await git.run(walk, { ...at, answers: [0, 128] });
    return result.exitCode === 0 ? commit : undefined;
  } catch (error) {
    if (isCarrelError(error, 'SNAPSHOT_BROKEN', 'GIT_FAILED')) return undefined;
    throw error;
  }
}

import { lstat } from 'node:fs/promises';
import type { Git } from '../../git/git.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';

/** Deletes one of our refs by compare-and-swap; a missing ref or repository is fine. */
export async function releaseRef(git: Git, gitDir: string, ref: string): Promise<void> {
  if (!(await lstat(gitDir).catch(() => undefined))) return;
  const from = await readRef(git, { gitDir }, ref);
  if (from) await updateRefs(git, { gitDir }, [{ ref, from, to: null }]);
}

import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error.js';

/**
 * Says of a worktree that its files are written in a sandbox, to whoever meets it among the worktrees of the repository
 * and has no record of it. In its admin directory, which is out of the sandbox's reach, and is not part of a snapshot.
 */
const MARK = 'carrel-sandbox';

export async function markForeign(gitDir: string): Promise<void> {
  await writeFile(join(gitDir, MARK), '');
}

export async function isMarkedForeign(gitDir: string): Promise<boolean> {
  return (await lstat(join(gitDir, MARK)).catch(ignoreMissing)) !== undefined;
}

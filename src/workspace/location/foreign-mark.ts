import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';

/**
 * Marks a worktree whose files are written in a sandbox, for code that finds it among the repository's worktrees without
 * its record. Stored in its admin directory, which the sandbox can't reach and which is not part of a snapshot.
 */
const MARK = 'carrel-sandbox';

export async function markForeign(gitDir: string): Promise<void> {
  await writeFile(join(gitDir, MARK), '');
}

export async function isMarkedForeign(gitDir: string): Promise<boolean> {
  return (await lstat(join(gitDir, MARK)).catch(ignoreMissing)) !== undefined;
}

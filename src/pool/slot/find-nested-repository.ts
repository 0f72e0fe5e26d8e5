import { type Dirent, readdirSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import { createTimeSlice } from '../../workspace/files/time-slice.js';

/**
 * Whether a repository is in any of these directories. Work in one (`pip install --editable` clones into
 * `.venv/src`) cannot be recreated by a tool. Only names are read, and no link is followed. Unreadable directories count as
 * containing one.
 */
export async function hasRepositoryIn(root: string, directories: readonly BytePath[]): Promise<boolean> {
  const pending = [...directories];
  const slice = createTimeSlice();
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of listEntries(root, directory)) {
      if (entry === 'unreadable' || entry.name === '.git') return true;
      if (entry.isDirectory()) pending.push(`${directory}/${entry.name}`);
    }
    if (slice.isOver()) await slice.breathe();
  }
  return false;
}

function listEntries(root: string, directory: BytePath): readonly (Dirent<string> | 'unreadable')[] {
  try {
    return readdirSync(toFsPath(root, directory), { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    // A file, a pipe, or nothing.
    if (['ENOTDIR', 'ENOENT'].includes(errnoOf(error) ?? '')) return [];
    if (errnoOf(error) === 'EACCES') return ['unreadable'];
    throw error;
  }
}

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { isCarrelError } from '../../domain/error/error.js';
import type { Git } from '../git.js';
import { resolveCommit } from '../refs/refs.js';
import { type IndexEntry, listIndexEntries } from './list-index-entries.js';
import { markOversized } from './oversized-entries.js';
import { type ScratchIndex, untouchedCopyOf } from './scratch-index.js';

export interface ReadIndex {
  readonly entries: readonly IndexEntry[];
  /** Whether these are the files of HEAD, because git could not read the index: it was truncated or overwritten. */
  readonly isUnreadable: boolean;
}

/**
 * Reads the copy of an index. An unreadable index must not prevent a capture, so the copy is replaced with one of HEAD:
 * every file that differs from HEAD is then found. What was staged is lost with the index.
 */
export async function readCopiedIndex(git: Git, index: ScratchIndex): Promise<ReadIndex> {
  const entries = await listIndexEntries(git, index).catch(error => {
    if (!isCarrelError(error, 'GIT_FAILED') || !existsSync(index.indexFile)) throw error;
    return undefined;
  });
  if (entries?.every(isWhole)) return { entries, isUnreadable: false };
  await rm(index.indexFile);
  await rm(untouchedCopyOf(index.indexFile), { force: true });
  const head = await resolveCommit(git, { gitDir: index.gitDir }, 'HEAD');
  if (head !== undefined) await git.run(['read-tree', head], index);
  markOversized(index.indexFile, index.workTree);
  return { entries: await listIndexEntries(git, index), isUnreadable: true };
}

/** git reads past the end of a truncated index as zeros, without an error (2.39). */
const isWhole = ({ mode }: IndexEntry): boolean => mode !== '000000';

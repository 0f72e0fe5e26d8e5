import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { MOST_FILE_BYTES } from '../files/most-file-bytes.js';
import { statExactly } from '../files/read-directory.js';
import { ENTRY_MODES, entryMode, entryStat, readPaths, STAT_AT } from './git-index-entries.js';
import { formatIndex, loadDatedIndex } from './git-index-file.js';

/**
 * Keeps git from reading files that are too large to capture. For an entry without stat data, as `read-tree` writes it, git
 * reads the whole file to compare it; for one with a different size it does not. So such an entry in a copy of an index gets
 * a size that the file does not have.
 */
export function markOversized(indexFile: string, workTree: string): void {
  const sha1 = loadDatedIndex(indexFile, 20);
  const index = 'unusable' in sha1 ? loadDatedIndex(indexFile, 32) : sha1;
  if ('unusable' in index) return;
  const isUnknown = (entry: number) =>
    entryStat(index, entry, STAT_AT.size) === 0 && FILES.includes(entryMode(index, entry));
  const unknown = [...index.offsets.keys()].filter(isUnknown);
  const paths = readPaths(index, unknown);
  const oversized = unknown.filter(
    (_, at) => (statExactly(workTree, paths[at] as string)?.size ?? 0n) > MOST_FILE_BYTES,
  );
  if (oversized.length === 0) return;
  for (const entry of oversized)
    index.bytes.writeUInt32BE(OTHER_SIZE, (index.offsets[entry] as number) + STAT_AT.size);
  const { atime, mtime } = statSync(indexFile);
  writeFileSync(indexFile, formatIndex(index));
  utimesSync(indexFile, atime, mtime);
}

const FILES: readonly number[] = [ENTRY_MODES.file, ENTRY_MODES.executable];

/** git keeps the low 32 bits of a size. If they matched, the file would be read. */
const OTHER_SIZE = 0x5ca1ab1e;

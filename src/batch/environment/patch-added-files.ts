import { stat, utimes } from 'node:fs/promises';
import { type BytePath, toBytes } from '../../git/byte-path.js';
import { createPinner } from '../../git/files/pinned-file.js';
import { isPlainPath } from '../../git/files/tree-path.js';
import type { Git } from '../../git/git.js';
import { loadIndex } from '../../git/index/git-index-file.js';

/** The index of a task is never larger than this. */
const MOST_INDEX_BYTES = 64 << 20;

/**
 * Files that an agent added to its git are part of its work, including ignored ones, which are not found
 * by listing new files. Only their paths are taken from the agent's index: they are entered into ours as
 * changed, so that their current content counts.
 */
export async function enterAdded(
  git: Git,
  own: { readonly gitDir: string; readonly indexFile: string },
  agentGitDir: string,
): Promise<void> {
  const known = new Set(readPaths(own.indexFile));
  const added = readForeignPaths(agentGitDir).filter(path => !known.has(path) && isPlainPath(path));
  if (added.length === 0) return;
  const stdin = toBytes(added.map(path => `100644 ${EMPTY_BLOB} 0\t${path}\0`).join(''));
  // With a newer index, files would look older than it and would not be read.
  const { mtimeMs } = await stat(own.indexFile);
  await git.run(['update-index', '-z', '--index-info'], { ...own, stdin });
  await utimes(own.indexFile, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
}

/** Known to every git without being stored. */
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const ID_BYTES = EMPTY_BLOB.length / 2;

/** The agent controls this file: an invalid index has no paths. */
function readForeignPaths(gitDir: string): readonly BytePath[] {
  try {
    const file = createPinner(gitDir)('index');
    if (!file) return [];
    try {
      return file.bytes > MOST_INDEX_BYTES ? [] : readPaths(file.path);
    } finally {
      file.close();
    }
  } catch {
    return [];
  }
}

function readPaths(file: string): readonly BytePath[] {
  const index = loadIndex(file, ID_BYTES);
  return 'unusable' in index ? [] : index.paths;
}

import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import { createPinner, hashPinned } from '../../git/files/pinned-file.js';
import type { Git } from '../../git/git.js';

/**
 * Whether a bare repository in a workspace, such as one for tests, is as in the base: all of its files that can name programs
 * are unchanged. Then it is the user's own and is left alone.
 */
export async function isBareOfBase(
  git: Git,
  { path: root, commonDir, base }: Pick<WorkspaceRecord, 'path' | 'commonDir' | 'base'>,
  directory: BytePath,
): Promise<boolean> {
  if (commonDir === null || base.commit === null) return false;
  // Arguments are text.
  if (/[^\x20-\x7e]/.test(directory)) return false;
  const known = await listBlobs(git, commonDir, base.commit, directory);
  if (!known.has('HEAD')) return false;
  const files = [...FILES, ...(await listHooks(root, directory))];
  for (const file of files) {
    const id = await hashFile(root, posix.join(directory, file), base.commit.length);
    if (id !== known.get(file)) return false;
  }
  return true;
}

const FILES = ['config', 'config.worktree', 'commondir'];

/** By path relative to the directory. */
async function listBlobs(git: Git, gitDir: string, commit: string, directory: string) {
  const paths = ['HEAD', ...FILES, 'hooks'].map(name => posix.join(directory, name));
  const command = ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...paths];
  const blobs = new Map<string, string>();
  for (const record of await git.records(command, { gitDir })) {
    const [, id, path] = /^100\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(record) ?? [];
    if (id !== undefined && path !== undefined) blobs.set(posix.relative(directory, path), id);
  }
  return blobs;
}

async function listHooks(root: string, directory: BytePath): Promise<string[]> {
  const names = await readdir(toFsPath(root, posix.join(directory, 'hooks')), 'latin1').catch(() => []);
  return names.map(name => `hooks/${name}`);
}

/** Longer than any configuration or hook. */
const LONGEST = 1 << 20;

/** The id that git has for a file; undefined for a missing file, and a word that is not an id for anything but a file. */
async function hashFile(root: string, path: BytePath, idLength: number): Promise<string | undefined> {
  if (lstatSync(toFsPath(root, path), { throwIfNoEntry: false }) === undefined) return undefined;
  const file = createPinner(root)(path);
  if (!file) return NO_FILE;
  try {
    return file.bytes > LONGEST ? NO_FILE : await hashPinned(file, idLength);
  } finally {
    file.close();
  }
}

const NO_FILE = 'no file';

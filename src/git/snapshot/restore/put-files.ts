import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../../../domain/error/error.js';
import { type BytePath, displayPath, toFsPath } from '../../byte-path.js';
import { statEntry } from '../../files/read-directory.js';
import { createParentMaker } from '../../files/safe-path.js';
import { unescapePath } from '../../files/tree-path.js';
import { walkWorkTree } from '../../files/walk.js';
import { type Modes, modeLookup } from '../file-modes.js';

/** Runs `action` with a directory on the same file system as `directory`, so that files can be moved from it. */
export async function withStaging(
  directory: string,
  action: (staging: string) => Promise<void>,
): Promise<void> {
  const staging = await mkdtemp(join(directory, '.carrel-restore-'));
  try {
    await action(staging);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The `.git` at the top is what makes a directory a work tree of its repository: it is neither replaced nor changed. */
export const WORK_TREE_LINK = '.git';

/**
 * Moves the contents of a folder of a checked out snapshot, or all of it for '', into `directory`, under
 * their real names. UNSAFE_PATH when that is outside, or `reserved`.
 */
export async function putFiles(
  staging: string,
  folder: string,
  directory: string,
  reserved?: string,
): Promise<void> {
  const makeParents = createParentMaker(directory);
  const found = await walkWorkTree(staging, null, folder);
  for (const path of found.files.keys()) {
    const target = unescapePath(folder === '' ? path : path.slice(folder.length + 1));
    if (target === reserved) throw carrelError('UNSAFE_PATH', { path: displayPath(target), root: directory });
    makeParents(target);
    renameSync(toFsPath(staging, path), toFsPath(directory, target));
  }
}

export function putEmptyDirectories(directory: string, paths: readonly BytePath[]): void {
  const makeParents = createParentMaker(directory);
  for (const path of paths.filter(candidate => candidate !== '')) {
    makeParents(path);
    if (!statEntry(directory, path)?.isDirectory()) mkdirSync(toFsPath(directory, path));
  }
}

/** Sets permissions; directories last and from the inside out, because some are read-only afterwards. */
export async function applyModes(
  directory: string,
  modes: Modes,
  reserved?: string,
  mask = 0o7777,
): Promise<void> {
  const recorded = modeLookup(modes);
  const modeOf: typeof recorded = (path, kind) => recorded(path, kind) & mask;
  const isReserved = (path: BytePath) => path === reserved || path.startsWith(`${reserved}/`);
  const found = await walkWorkTree(directory, null);
  for (const [path, file] of found.files) {
    if (file.kind === 'symlink' || isReserved(path)) continue;
    const wanted = modeOf(path, file.mode & 0o100 ? 'executable' : 'file');
    if (file.mode !== wanted) chmodSync(toFsPath(directory, path), wanted);
  }
  for (const [path, mode] of [...found.directories].sort(([a], [b]) => b.length - a.length)) {
    const wanted = modeOf(path, 'directory');
    if (mode !== wanted && !isReserved(path)) chmodSync(toFsPath(directory, path), wanted);
  }
}

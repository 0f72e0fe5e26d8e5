import { type Dirent, lstatSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findProcessesInside } from '../../exec/inside/processes-inside.js';

/** File times come from the file system's clock, which may be slightly behind. */
const SLACK_MS = 2_000;

/**
 * Deletes temporary files that one of our git processes has left since `since` when the disk became full: on a full disk
 * they take up the space that is missing. Nothing is deleted while any process has a file of the store open, as it may be
 * that one.
 */
export async function removeUnfinishedObjects(gitDir: string, startedAt: number): Promise<void> {
  const objects = join(findCommonDir(gitDir), 'objects');
  const young = listTemporary(objects).filter(file => isYoung(file, startedAt - SLACK_MS));
  if (young.length === 0 || (await findProcessesInside(objects)).length > 0) return;
  for (const file of young) attempt(() => unlinkSync(file));
}

/** A linked worktree has its objects where `commondir` says. */
const findCommonDir = (gitDir: string): string =>
  resolve(gitDir, attempt(() => readFileSync(join(gitDir, 'commondir'), 'utf8').trim()) ?? '.');

const FOLDER = /^([0-9a-f]{2}|pack)$/;
const TEMPORARY = /^tmp_(obj|pack|idx|rev|mtimes)_/;

function listTemporary(objects: string): string[] {
  const folders = list(objects).filter(({ name }) => FOLDER.test(name));
  return folders.flatMap(({ name: folder }) =>
    list(join(objects, folder))
      .filter(entry => entry.isFile() && TEMPORARY.test(entry.name))
      .map(({ name }) => join(objects, folder, name)),
  );
}

const list = (directory: string): Dirent[] =>
  attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];

function isYoung(file: string, since: number): boolean {
  const info = lstatSync(file, { throwIfNoEntry: false });
  return info !== undefined && info.uid === process.getuid?.() && info.ctimeMs >= since;
}

/** Files that can't be read or deleted are left. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

import { lstat, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import { makeOwnDirectory } from '../../git/own-directory.js';
import type { Presence } from '../backend.js';
import { findDirectoryPresence } from '../presence.js';

/**
 * A plain directory says nothing about whose it is, and a marker inside would be part of the work. So a file in the
 * vault, named after the workspace, keeps what the file system knows the directory by; moving it aside and back does
 * not change that, deleting it and making another does.
 */
export async function registerDirectory(vaultDir: string, record: WorkspaceRecord): Promise<void> {
  await makeOwnDirectory(record.path);
  await mkdir(join(vaultDir, FOLDER), { recursive: true });
  const { place, birth } = await readMarks(record.path);
  await writeFile(fileOf(vaultDir, record), `${place} ${birth}\n`);
}

/** Forgets whose directory it is; the files are not touched. */
export async function unregisterDirectory(vaultDir: string, record: WorkspaceRecord): Promise<void> {
  await rm(fileOf(vaultDir, record), { force: true });
}

export async function findPresence(vaultDir: string, record: WorkspaceRecord): Promise<Presence> {
  const presence = await findDirectoryPresence(record.path);
  if (presence.kind !== 'present') return presence;
  const known = await readFile(fileOf(vaultDir, record), 'utf8').catch(ignoreMissing);
  if (known !== undefined && isSame(known, await readMarks(record.path))) return presence;
  return { kind: 'replaced', found: 'another directory' };
}

/** Takes back a directory that was made and not yet registered, which is an empty one. */
export async function removeUnregistered(path: string): Promise<void> {
  await rmdir(path).catch(error => {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  });
}

const FOLDER = 'carrel';

const fileOf = (vaultDir: string, record: WorkspaceRecord): string => join(vaultDir, FOLDER, record.id);

/** What the file system knows a directory by. */
interface Marks {
  readonly place: string;
  readonly birth: bigint;
  readonly changed: bigint;
}

async function readMarks(path: string): Promise<Marks> {
  const { dev, ino, birthtimeNs, ctimeNs } = await lstat(path, { bigint: true });
  return { place: `${dev}:${ino}`, birth: birthtimeNs, changed: ctimeNs };
}

/**
 * An inode number may be given to the next directory, so the time of birth counts too. Where there is none (an old
 * kernel, a sandbox without statx) Node gives the time of the last change for it; then the number has to do.
 */
function isSame(known: string, { place, birth, changed }: Marks): boolean {
  const [knownPlace, knownBirth] = known.trim().split(' ');
  return knownPlace === place && (knownBirth === `${birth}` || birth === changed);
}

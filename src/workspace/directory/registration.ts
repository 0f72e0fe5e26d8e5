import { lstat, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { makeNewDirectory, replacePrivateFile } from '../../git/disk/shared-directory.js';
import type { Presence } from '../backend.js';
import { findDirectoryPresence } from '../location/presence.js';

/**
 * A plain directory has no owner mark, and a marker file inside would be part of the work. So a file in the vault,
 * named after the workspace, records how the file system identifies the directory. Moving the directory aside and back
 * keeps that identity; deleting it and creating another does not.
 */
export async function registerDirectory(vaultDir: string, record: WorkspaceRecord): Promise<void> {
  await makeNewDirectory(record.path);
  const { place, birth } = await readMarks(record.path);
  await replacePrivateFile(fileOf(vaultDir, record), `${place} ${birth}\n`);
}

/** Deletes the registration; the files are not touched. */
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

/** Removes a directory that was created and not yet registered, so it is still empty. */
export async function removeUnregistered(path: string): Promise<void> {
  await rmdir(path).catch(error => {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  });
}

const FOLDER = 'carrel';

const fileOf = (vaultDir: string, record: WorkspaceRecord): string => join(vaultDir, FOLDER, record.id);

/** How the file system identifies a directory. */
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
 * An inode number may be reused for the next directory, so the birth time counts too. Where there is none (an old
 * kernel, a sandbox without statx) Node returns the time of the last change instead; then only the inode number is used.
 */
function isSame(known: string, { place, birth, changed }: Marks): boolean {
  const [knownPlace, knownBirth] = known.trim().split(' ');
  return knownPlace === place && (knownBirth === `${birth}` || birth === changed);
}

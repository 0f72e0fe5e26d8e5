import { lstat, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { replaceFile } from '../../exec/filesystem/replace-file.js';
import { holdsWorkspace, readHeldWorkspace } from '../../jj/jj-workspaces.js';
import { readWorkingCopy, type WorkingCopy } from '../../jj/working-copy.js';
import type { Presence } from '../backend.js';
import { findDirectoryPresence } from '../location/presence.js';
import { findJjName, readJjName } from './jj-name.js';
import { hasRepository, type JjBackendOptions } from './jj-place.js';

export interface JjPresence {
  readonly presence: Presence;
  /** What jj last recorded of it; undefined when jj does not know it. */
  readonly workingCopy: WorkingCopy | undefined;
}

/** What is at the workspace's path, and what jj knows about it. */
export async function inspectJjPresence(
  options: JjBackendOptions,
  record: WorkspaceRecord,
): Promise<JjPresence> {
  const workingCopy = await readOwnWorkingCopy(options, record);
  return { presence: await describePresence(options, record, workingCopy !== undefined), workingCopy };
}

/** Undefined when jj does not know the workspace. */
export async function readOwnWorkingCopy(
  options: JjBackendOptions,
  record: WorkspaceRecord,
): Promise<WorkingCopy | undefined> {
  const name = await findJjName(options, record);
  return name === undefined ? undefined : readWorkingCopy(options.jj, record.repository, name);
}

async function describePresence(
  options: JjBackendOptions,
  record: WorkspaceRecord,
  isKnown: boolean,
): Promise<Presence> {
  const presence = await findDirectoryPresence(record.path);
  if (presence.kind !== 'present') return presence;
  if (!(await holdsOwn(options, record)))
    return { kind: 'replaced', found: 'a directory that is not this workspace' };
  return isKnown ? presence : { kind: 'replaced', found: 'a workspace that jj has forgotten' };
}

/**
 * Whether the directory is the one that `create` made, at any stage: still empty, with jj's own files half written and
 * nothing else, or complete.
 */
export async function isOwnDirectory(options: JjBackendOptions, record: WorkspaceRecord): Promise<boolean> {
  const { path } = record;
  const info = await lstat(path).catch(() => undefined);
  if (!info?.isDirectory() || (await realpath(path)) !== path) return false;
  const names = await readdir(path);
  return names.every(name => name === '.jj') || (await holdsOwn(options, record));
}

/** Without its repository the name is not known; then any workspace of jj counts. */
async function holdsOwn(options: JjBackendOptions, record: WorkspaceRecord): Promise<boolean> {
  if (!(await hasRepository(record))) return (await readHeldWorkspace(record.path)) !== undefined;
  return holdsWorkspace(record.path, await readJjName(options, record));
}

/**
 * Two changes to what `jj workspace add` made. jj itself hides `.jj` from git where git works in the same directory; here
 * we do that. And jj writes a relative path to the repository, which would break when the files are set aside; jj accepts
 * an absolute one, as older versions wrote.
 */
export async function prepareDirectory({ path, repository }: WorkspaceRecord): Promise<void> {
  await writeFile(join(path, '.jj', '.gitignore'), '/*\n');
  await replaceFile(join(path, '.jj', 'repo'), join(repository, '.jj', 'repo'));
}

/** After the repository was moved; only where the files belong to this workspace and name the old path. */
export async function relinkDirectory(record: WorkspaceRecord, formerRepository: string): Promise<void> {
  const directory = join(record.path, '.jj');
  const link = join(directory, 'repo');
  const isDirectory = (await lstat(directory).catch(ignoreMissing))?.isDirectory();
  const isFile = isDirectory && (await lstat(link).catch(ignoreMissing))?.isFile();
  if (isFile && (await readFile(link, 'utf8')) === join(formerRepository, '.jj', 'repo'))
    await prepareDirectory(record);
}

import { lstat, readdir, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { Jj } from '../../jj/jj.js';
import { readWorkingCopy, type WorkingCopy } from '../../jj/working-copy.js';
import { holdsWorkspace } from '../../jj/workspaces.js';
import type { Presence } from '../backend.js';
import { findDirectoryPresence } from '../presence.js';
import { hasRepository } from './place.js';

export interface Sight {
  readonly presence: Presence;
  /** What jj recorded of it last; undefined when jj knows nothing of it. */
  readonly workingCopy: WorkingCopy | undefined;
}

/** What stands at the workspace's path, and what jj knows of it. */
export async function sight(jj: Jj, record: WorkspaceRecord): Promise<Sight> {
  const workingCopy = (await hasRepository(record))
    ? await readWorkingCopy(jj, record.repository, record.id)
    : undefined;
  return { presence: await judge(record, workingCopy !== undefined), workingCopy };
}

async function judge(record: WorkspaceRecord, isKnown: boolean): Promise<Presence> {
  const presence = await findDirectoryPresence(record.path);
  if (presence.kind !== 'present') return presence;
  if (!(await holdsWorkspace(record.path, record.id)))
    return { kind: 'replaced', found: 'a directory that is not this workspace' };
  return isKnown ? presence : { kind: 'replaced', found: 'a workspace that jj has forgotten' };
}

/**
 * Whether the directory is the one that creating made, however far it came: still empty, with jj's own files half
 * written and nothing else, or whole.
 */
export async function isOwnDirectory({ path, id }: WorkspaceRecord): Promise<boolean> {
  const info = await lstat(path).catch(() => undefined);
  if (!info?.isDirectory() || (await realpath(path)) !== path) return false;
  const names = await readdir(path);
  return names.every(name => name === '.jj') || (await holdsWorkspace(path, id));
}

/**
 * Two touches to what `jj workspace add` made. jj itself hides `.jj` from git where git works in the same directory;
 * here it keeps it out of what git is asked about. And jj names the repository by a relative path, which would lead
 * nowhere once the files are set aside; an absolute one, as jj wrote them before, is as good to it.
 */
export async function settleDirectory({ path, repository }: WorkspaceRecord): Promise<void> {
  await writeFile(join(path, '.jj', '.gitignore'), '/*\n');
  const draft = join(path, '.jj', 'repo.carrel');
  await writeFile(draft, join(repository, '.jj', 'repo'));
  await rename(draft, join(path, '.jj', 'repo'));
}

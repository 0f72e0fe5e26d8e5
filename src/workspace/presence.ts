import { lstat, realpath } from 'node:fs/promises';
import { carrelError, ignoreMissing } from '../domain/error.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Inspection, Presence } from './backend.js';

/** What stands at a path that should be a directory and no link: the part of presence that needs no version control. */
export async function findDirectoryPresence(path: string): Promise<Presence> {
  const info = await lstat(path).catch(ignoreMissing);
  if (!info) return { kind: 'missing' };
  if (info.isSymbolicLink()) return { kind: 'replaced', found: 'a symbolic link' };
  if (!info.isDirectory()) return { kind: 'replaced', found: 'a file' };
  if ((await realpath(path)) !== path) return { kind: 'replaced', found: 'reached through a symbolic link' };
  return { kind: 'present' };
}

/** WORKSPACE_MISSING, WORKSPACE_MOVED or WORKSPACE_REPLACED for whoever needs the files. */
export function requirePresent(record: WorkspaceRecord, presence: Presence): void {
  const { name, path } = record;
  if (presence.kind === 'missing') throw carrelError('WORKSPACE_MISSING', { name, path });
  requireOurs(record, presence);
}

/** WORKSPACE_MOVED or WORKSPACE_REPLACED for whoever can do without the files but not with others. */
export function requireOurs({ name, path }: WorkspaceRecord, presence: Presence): void {
  if (presence.kind === 'moved') throw carrelError('WORKSPACE_MOVED', { name, path, to: presence.to });
  if (presence.kind === 'replaced')
    throw carrelError('WORKSPACE_REPLACED', { name, path, found: presence.found });
}

/** An inspection that tells nothing but presence. */
export function presenceAlone(presence: Presence): Inspection {
  const unknown = { branch: null, head: null, changes: null, ahead: null, behind: null };
  return { presence, ...unknown, conflictsWithBase: null, sizeBytes: null };
}

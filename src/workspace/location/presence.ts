import { lstat, realpath } from 'node:fs/promises';
import { carrelError, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Inspection, Presence } from '../backend.js';

/** What is at a path that should be a real directory: the part of presence that needs no version control. */
export async function findDirectoryPresence(path: string): Promise<Presence> {
  const info = await lstat(path).catch(ignoreMissing);
  if (!info) return { kind: 'missing' };
  if (info.isSymbolicLink()) return { kind: 'replaced', found: 'a symbolic link' };
  if (!info.isDirectory()) return { kind: 'replaced', found: 'a file' };
  if ((await realpath(path)) !== path) return { kind: 'replaced', found: 'reached through a symbolic link' };
  return { kind: 'present' };
}

/** WORKSPACE_MISSING, WORKSPACE_MOVED or WORKSPACE_REPLACED for callers that need the files. */
export function requirePresent(record: WorkspaceRecord, presence: Presence): void {
  const { name, path } = record;
  if (presence.kind === 'missing') throw carrelError('WORKSPACE_MISSING', { name, path });
  requireOurs(record, presence);
}

/** WORKSPACE_MOVED or WORKSPACE_REPLACED for callers that accept missing files but not different ones. */
export function requireOurs({ name, path }: WorkspaceRecord, presence: Presence): void {
  if (presence.kind === 'moved') throw carrelError('WORKSPACE_MOVED', { name, path, to: presence.to });
  if (presence.kind === 'replaced')
    throw carrelError('WORKSPACE_REPLACED', { name, path, found: presence.found });
}

/** An inspection with presence only. */
export function presenceAlone(presence: Presence): Inspection {
  const unknown = { branch: null, head: null, changes: null, ahead: null, behind: null };
  return { presence, ...unknown, conflictsWithBase: null, sizeBytes: null };
}

/**
 * A failed inspection. The workspace may have been removed during it; otherwise the problem is reported for this workspace
 * and the others are still inspected.
 */
export async function inspectionOfFailure(
  failure: unknown,
  findPresence: () => Promise<Presence>,
): Promise<Inspection> {
  // No problem of one workspace.
  if (isCarrelError(failure, 'GIT_MISSING')) throw failure;
  const presence = await findPresence().catch(() => ({ kind: 'present' }) as const);
  if (presence.kind !== 'present') return presenceAlone(presence);
  return { ...presenceAlone(presence), problem: toError(failure) };
}

const toError = (failure: unknown): Error =>
  failure instanceof Error ? failure : new Error(String(failure));

/** The inspection of a workspace for callers that need it. Throws its problem. */
export function requireInspected(inspection: Inspection | undefined): Inspection {
  if (!inspection) throw carrelError('INTERNAL', { problem: 'a workspace was not inspected' });
  if (inspection.problem) throw inspection.problem;
  return inspection;
}

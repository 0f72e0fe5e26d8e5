import { isCustomBackend } from '../workspace/backend-name.js';
import type { Snapshot } from './snapshot.js';

/**
 * The note about a snapshot in the last line of its commit message: enough to record it again when the database is lost.
 * Local paths are left out when they follow from the repository that contains it; they do not in the vault.
 */
export type SnapshotNote = Pick<Snapshot, (typeof FIELDS)[number]> &
  Partial<Pick<Snapshot, 'repository' | 'repositoryId'>>;

const FIELDS = [
  'workspaceId',
  'workspaceName',
  'backend',
  'branch',
  'base',
  'isolation',
  'sandbox',
  'isStrict',
  'reason',
  'message',
  'createdAt',
] as const satisfies readonly (keyof Snapshot)[];

const KEY = 'Carrel-Snapshot: ';

/** The message of the commit. */
export function formatSnapshotMessage(snapshot: SnapshotNote): string {
  const isCopy = snapshot.backend === 'directory' || isCustomBackend(snapshot.backend);
  const fields = isCopy ? ([...FIELDS, 'repository', 'repositoryId'] as const) : FIELDS;
  const note = Object.fromEntries(fields.map(field => [field, snapshot[field]]));
  return `${snapshot.message ?? 'carrel: snapshot'}\n\n${KEY}${JSON.stringify(note)}`;
}

/** Undefined when a version of Carrel without notes, or another program, created the commit. */
export function parseSnapshotMessage(message: string): SnapshotNote | undefined {
  const line = message.split('\n').findLast(candidate => candidate.startsWith(KEY));
  if (line === undefined) return undefined;
  try {
    const note = JSON.parse(line.slice(KEY.length));
    const isWhole = REQUIRED.every(field => typeof note[field] === 'string') && typeof note.base === 'object';
    return isWhole ? note : undefined;
  } catch {
    return undefined;
  }
}

const REQUIRED = ['workspaceId', 'workspaceName', 'backend', 'reason', 'createdAt'] as const;

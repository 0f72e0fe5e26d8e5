import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { OverlayMount } from '../../exec/filesystem/overlay-mount.js';
import { replaceFile } from '../../exec/filesystem/replace-file.js';

/** The directory of all workspaces: a workspace is at `<root>/<project>/<name>`. */
export const rootOf = (record: Pick<WorkspaceRecord, 'path'>): string => dirname(dirname(record.path));

/** Where the workspace's own layer is: everything that differs from its base, and `.git`. */
export const overlayOf = (record: Pick<WorkspaceRecord, 'id' | 'path'>): string =>
  join(rootOf(record), '.overlay', record.id);

export const upperOf = (record: Pick<WorkspaceRecord, 'id' | 'path'>): string =>
  join(overlayOf(record), 'upper');

/**
 * Names what it is mounted over, with a second line when that is not what it was first mounted over. It is written first
 * and deleted with the layer, so it exists exactly as long as the workspace.
 */
export const lowerFileOf = (record: Pick<WorkspaceRecord, 'id' | 'path'>): string =>
  join(overlayOf(record), 'lower');

/** Undefined when there is no overlay of that workspace. */
export async function findOverlay(
  record: Pick<WorkspaceRecord, 'id' | 'path'>,
  target: string = record.path,
): Promise<OverlayMount | undefined> {
  const text = await readFile(lowerFileOf(record), 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  const [lower = '', mark] = text.split('\n');
  return { ...describeOverlay(record, lower, target), exclusive: mark === undefined };
}

/** Switches to other layers with the same files. Atomic. */
export async function replaceLower(
  record: Pick<WorkspaceRecord, 'id' | 'path'>,
  lower: string,
): Promise<void> {
  await replaceFile(lowerFileOf(record), `${lower}\n${REPLACED}`);
}

const REPLACED = 'replaced';

/** Not volatile: this is the user's work, and what was flushed to disk must survive. */
export const describeOverlay = (
  record: Pick<WorkspaceRecord, 'id' | 'path'>,
  lower: string,
  target: string = record.path,
): OverlayMount => ({
  lower,
  upper: upperOf(record),
  work: join(overlayOf(record), 'work'),
  target,
  volatile: false,
  exclusive: true,
});

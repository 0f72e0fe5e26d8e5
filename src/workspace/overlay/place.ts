import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error.js';
import type { WorkspaceRecord } from '../../domain/workspace.js';
import type { OverlayMount } from '../../exec/overlay-mount.js';

/** The directory of all workspaces: a workspace is at `<root>/<project>/<name>`. */
export const rootOf = (record: Pick<WorkspaceRecord, 'path'>): string => dirname(dirname(record.path));

/** Where the workspace's own layer is: all that differs from its base, and `.git`. */
export const overlayOf = (record: Pick<WorkspaceRecord, 'id' | 'path'>): string =>
  join(rootOf(record), '.overlay', record.id);

export const upperOf = (record: Pick<WorkspaceRecord, 'id' | 'path'>): string =>
  join(overlayOf(record), 'upper');

/**
 * Says what it is mounted over, and in a second line that this is not what it was first mounted over. It is written first and goes with the layer, so that its presence is the
 * workspace's.
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
  return { ...describeOverlay(record, lower, target), exclusive: mark !== REPLACED };
}

/** From now on it is mounted over other layers, which show the same files. Whole or not at all. */
export async function replaceLower(
  record: Pick<WorkspaceRecord, 'id' | 'path'>,
  lower: string,
): Promise<void> {
  const draft = `${lowerFileOf(record)}.carrel`;
  await writeFile(draft, `${lower}\n${REPLACED}`);
  await rename(draft, lowerFileOf(record));
}

const REPLACED = 'replaced';

/** Not volatile: this is a person's work, and what was flushed to the disk has to be there. */
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

import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { replacePrivateFile } from '../../git/disk/shared-directory.js';

/**
 * A second copy of a workspace's record: in the git directory of its repository, or in the vault for a plain copy. The
 * database is read first; this is what it is rebuilt from when it is lost. Nothing in a sandbox can write there.
 */
export interface RecordFile {
  readonly record: WorkspaceRecord;
  /** The state directory whose database has it. */
  readonly stateDir: string;
}

/** For the owner only: the workspace's variables may be secret. */
export async function writeRecordFile(
  place: string,
  record: WorkspaceRecord,
  stateDir: string,
): Promise<void> {
  const { lease, ...kept } = record;
  await replacePrivateFile(fileOf(place, record.id), `${JSON.stringify({ record: kept, stateDir })}\n`);
}

/** Leaves no empty directory behind. */
export async function removeRecordFile(place: string, id: string): Promise<void> {
  const file = fileOf(place, id);
  await rm(file, { force: true });
  for (const directory of [dirname(file), dirname(dirname(file))])
    await rmdir(directory).catch(error => {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
    });
}

/** The ids of workspaces that have one. */
export async function listRecordFiles(place: string): Promise<string[]> {
  const names = (await readdir(folderOf(place)).catch(ignoreMissing)) ?? [];
  return names.flatMap(name => /^(ws_\w+)\.json$/.exec(name)?.[1] ?? []);
}

/** Undefined when there is none, or it can't be read. */
export async function readRecordFile(place: string, id: string): Promise<RecordFile | undefined> {
  const text = await readFile(fileOf(place, id), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { record, stateDir } = JSON.parse(text);
    const isWhole = REQUIRED.every(field => typeof record[field] === 'string');
    return record.id === id && isWhole && typeof stateDir === 'string' ? { record, stateDir } : undefined;
  } catch {
    return undefined;
  }
}

const REQUIRED = ['name', 'backend', 'runtime', 'path', 'createdAt'] as const;

const folderOf = (place: string): string => join(place, 'carrel', 'records');

const fileOf = (place: string, id: string): string => join(folderOf(place), `${id}.json`);

import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';

/** The file system's identity of a workspace's parent directory, with its device; undefined when it is missing. */
export async function identifyFolder(path: string): Promise<string | undefined> {
  const info = await lstat(dirname(path), { bigint: true }).catch(ignoreMissing);
  return info && `${info.ino} ${info.birthtimeNs} ${info.dev}`;
}

/**
 * Whether the files are missing because their disk is: the existing part of their path is on another device, and the
 * parent directory, if any, is another one. Where only the files are gone, they were deleted, and so may be the parent
 * directory: Carrel removes it when empty and recreates it.
 */
export async function isUnreachable({
  path,
  folder,
}: Pick<WorkspaceRecord, 'path' | 'folder'>): Promise<boolean> {
  if (await lstat(path).catch(ignoreMissing)) return false;
  const present = await identifyFolder(path);
  if (folder === undefined) return present === undefined;
  // A device number may change after a reboot; the directory is the same then.
  const isSameFolder = present !== undefined && withoutDevice(present) === withoutDevice(folder);
  return !isSameFolder && deviceOf(folder) !== (await nearestDevice(dirname(path)));
}

const withoutDevice = (identity: string): string => identity.split(' ').slice(0, 2).join(' ');
const deviceOf = (identity: string): string | undefined => identity.split(' ')[2];

async function nearestDevice(path: string): Promise<string> {
  const info = await lstat(path, { bigint: true }).catch(ignoreMissing);
  return info ? String(info.dev) : nearestDevice(dirname(path));
}

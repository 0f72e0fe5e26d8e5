import { readdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { findProcess } from '../../exec/process/process-table.js';
import type { CgroupPlace } from './cgroup-place.js';

/** The process that creates groups. */
export interface GroupOwner {
  readonly self: ProcessIdentity;
  /** A new random word on every call. */
  readonly unique: () => string;
}

/** The name of a new group: it identifies the owner, even after it was killed. */
export const nameGroup = ({ self, unique }: GroupOwner): string =>
  `${self.pid}.${self.startedAt}.${unique()}`;

/** Removes the group of a command whose processes are dead, and that of its workspace when it was the last. */
export async function removeGroup(group: string): Promise<void> {
  for (let attempt = 1; !removeUnusedGroup(group) && attempt < MOST_TRIES; attempt++) await delay(WAIT_MS);
}

/** The same for one that never had a process. Returns whether it is gone. */
export function removeUnusedGroup(group: string): boolean {
  if (!removeEmpty(group)) return false;
  const ofWorkspace = dirname(group);
  if (removeEmpty(ofWorkspace)) removeEmpty(dirname(ofWorkspace));
  return true;
}

/** A process leaves its group a moment after it was seen dead. */
const MOST_TRIES = 200;
const WAIT_MS = 5;

/** Removes groups of killed Carrel processes; `folder` is the one that contains a place's groups. */
export function cleanUpGroups(place: CgroupPlace, folder: string): void {
  for (const root of rootsOf(place, folder)) {
    for (const workspace of list(root)) {
      const directory = join(root, workspace);
      for (const name of list(directory)) if (isAbandoned(name)) removeEmpty(join(directory, name));
      removeEmpty(directory);
    }
    removeEmpty(root);
  }
}

/** Workspaces that have a group. */
export function listGroups(place: CgroupPlace, folder: string): string[] {
  return [...new Set(rootsOf(place, folder).flatMap(list))];
}

const rootsOf = (place: CgroupPlace, folder: string): string[] =>
  [...new Set(Object.values(place.directories))].map(directory => join(directory, folder));

function isAbandoned(name: string): boolean {
  const [pid, startedAt] = name.split('.');
  return findProcess(Number(pid))?.startedAt !== startedAt;
}

/** Returns whether it is gone. The kernel refuses while it contains processes or a group. */
function removeEmpty(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return true;
    if (['EBUSY', 'ENOTEMPTY', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

function list(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter(entry => entry.isDirectory()).map(entry => entry.name);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

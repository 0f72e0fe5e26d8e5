import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error/error.js';
import type { LimitName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import type { CgroupPlace, GroupLimit } from './cgroup-place.js';
import { type GroupSetting, groupSettings } from './cgroup-settings.js';
import { removeGroup, removeUnusedGroup } from './remove-cgroup.js';

/** The control group of one command, inside that of its workspace; the limits apply to both. */
export interface Group {
  /** A process joins by writing its pid into each of them. */
  readonly memberFiles: readonly string[];
  /** The limits that were reached since it was created. */
  findHits(): LimitName[];
  /** Call it when all processes in it are dead. The last one also removes the workspace's group. */
  remove(): Promise<void>;
}

/** It contains the groups of workspaces, and each of those a group for every command. */
export const GROUPS_FOLDER = 'carrel';

/** `name` identifies the owner of the group and is never reused; see remove-cgroup.ts. */
export function createGroup(place: CgroupPlace, limits: Limits, workspaceId: string, name: string): Group {
  const wanted = wantedGroups(place, limits).map(({ directory, ...rest }) => ({
    group: join(directory, GROUPS_FOLDER, workspaceId, name),
    ...rest,
  }));
  const groups = wanted.map(({ group }) => group);
  try {
    for (const { group, controllers, settings } of wanted) {
      makeGroup(group, place.version === 2 ? controllers : []);
      for (const target of [dirname(group), group]) for (const setting of settings) write(target, setting);
    }
  } catch (error) {
    groups.forEach(removeUnusedGroup);
    throw error;
  }
  return {
    memberFiles: groups.map(group => join(group, 'cgroup.procs')),
    findHits: () => [
      ...(groups.some(hasKilled) ? (['memory'] as const) : []),
      ...(groups.some(hasRefused) ? (['pids'] as const) : []),
    ],
    remove: async () => {
      for (const group of groups) await removeGroup(group);
    },
  };
}

interface WantedGroup {
  readonly directory: string;
  readonly controllers: readonly GroupLimit[];
  readonly settings: readonly GroupSetting[];
}

/** In version 2 one directory has all limits, in version 1 each has its own. */
function wantedGroups(place: CgroupPlace, limits: Limits): WantedGroup[] {
  const entries = Object.entries(place.directories) as [GroupLimit, string][];
  const wanted = entries.filter(([limit]) => limits[limit] !== undefined);
  return [...new Set(wanted.map(([, directory]) => directory))].map(directory => {
    const controllers = wanted.filter(entry => entry[1] === directory).map(([limit]) => limit);
    const settings = controllers.flatMap(limit => groupSettings(place.version, limit, limits));
    return { directory, controllers, settings };
  });
}

const MOST_TRIES = 100;

/** A command that exits at the same time may remove the workspace's group until ours is in it. */
function makeGroup(group: string, handDown: readonly GroupLimit[]): void {
  const ofWorkspace = dirname(group);
  for (let attempt = 1; ; attempt++) {
    try {
      mkdirSync(ofWorkspace, { recursive: true });
      for (const directory of [dirname(ofWorkspace), ofWorkspace]) handControllersDown(directory, handDown);
      mkdirSync(group);
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || attempt === MOST_TRIES) throw error;
    }
  }
}

function handControllersDown(directory: string, controllers: readonly GroupLimit[]): void {
  if (controllers.length === 0) return;
  const words = controllers.map(controller => `+${controller}`).join(' ');
  writeFileSync(join(directory, 'cgroup.subtree_control'), words);
}

function write(group: string, { file, value, mayBeMissing }: GroupSetting): void {
  const path = join(group, file);
  if (mayBeMissing && !existsSync(path)) return;
  writeFileSync(path, value);
}

/** A process in the group was killed because of memory. Version 1 reports it in one file, version 2 in another. */
const hasKilled = (group: string): boolean =>
  countOf(join(group, 'memory.oom_control'), 'oom_kill') + countOf(join(group, 'memory.events'), 'oom_kill') >
  0;

/** A fork was refused. */
const hasRefused = (group: string): boolean => countOf(join(group, 'pids.events'), 'max') > 0;

/** Lines are `name number`. */
function countOf(file: string, name: string): number {
  try {
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

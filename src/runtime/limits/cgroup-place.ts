import { accessSync, constants, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readMountTable } from '../../exec/filesystem/mount-table.js';

/** The limits that need a control group. */
export const GROUP_LIMITS = ['memory', 'pids', 'cpu'] as const;
export type GroupLimit = (typeof GROUP_LIMITS)[number];

/** The directories below which groups for a limit can be created; a limit without a directory is not available. */
export interface CgroupPlace {
  readonly version: 1 | 2;
  readonly directories: Readonly<Partial<Record<GroupLimit, string>>>;
}

/**
 * Version 1 lets a group with processes have subgroups, so ours go below the group of this process, and its limits
 * apply to them. In version 2 only a group without processes can delegate controllers: the nearest directory above that
 * we can write and that delegates, as systemd gives one to every user session.
 */
export function findCgroupPlace(): CgroupPlace | undefined {
  const groups = readOwnGroups();
  const mounts = readMountTable();
  const unified = mounts.find(
    ({ type, target }) => type === 'cgroup2' && isOwn(target, groups.get('') ?? ''),
  );
  const delegated = unified && findDelegated(unified.target, groups.get('') ?? '');
  if (delegated) return delegated;
  const directories = GROUP_LIMITS.flatMap(limit => {
    const path = groups.get(limit) ?? '';
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(limit));
    return mount && isOwn(mount.target, path) ? [[limit, join(mount.target, path)] as const] : [];
  });
  const writable = directories.filter(([, directory]) => isWritable(directory));
  return writable.length > 0 ? { version: 1, directories: Object.fromEntries(writable) } : undefined;
}

/** Lines are `4:memory:/path`, with several controllers `cpu,cpuacct`; version 2 is `0::/path`. */
function readOwnGroups(): ReadonlyMap<string, string> {
  const lines = readText('/proc/self/cgroup').split('\n').filter(Boolean);
  return new Map(
    lines.flatMap(line => {
      const [, controllers = '', ...path] = line.split(':');
      return controllers.split(',').map(controller => [controller, path.join(':')] as const);
    }),
  );
}

/** In a container the path may be that of the host, and the mount may show only a part of it. */
const isOwn = (mount: string, path: string): boolean =>
  readText(join(mount, path, 'cgroup.procs'))
    .split('\n')
    .includes(String(process.pid));

/** Searches from our own group upwards; exported for its test. */
export function findDelegated(mount: string, path: string): CgroupPlace | undefined {
  for (let at = path; at !== '/' && at !== ''; ) {
    at = dirname(at);
    const directory = join(mount, at);
    const handedDown = readText(join(directory, 'cgroup.subtree_control')).trim().split(' ');
    const limits = GROUP_LIMITS.filter(limit => handedDown.includes(limit));
    if (limits.length > 0 && isWritable(directory)) {
      return { version: 2, directories: Object.fromEntries(limits.map(limit => [limit, directory])) };
    }
  }
  return undefined;
}

/**
 * Moving a process needs write access to the process list of the common parent group; a directory alone is not enough.
 */
function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    accessSync(join(directory, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Missing or not permitted: then no groups are available.
    return '';
  }
}

import { existsSync } from 'node:fs';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import type { Policy } from '../policy.js';
import { createGroup, GROUPS_FOLDER, type Group } from './cgroup.js';
import { type CgroupPlace, findCgroupPlace, GROUP_LIMITS } from './cgroup-place.js';
import { cleanUpGroups, type GroupOwner, nameGroup } from './remove-cgroup.js';

/** How limits can be enforced on this machine. */
export interface LimitMeans {
  readonly place: CgroupPlace | undefined;
  /** util-linux's prlimit, where it enforces the number of processes. */
  readonly prlimit: string | undefined;
}

export interface LimitMachine {
  readonly uid: number;
  /** As of `os.release()`. */
  readonly kernel: string;
}

export function findLimitMeans(machine: LimitMachine): LimitMeans {
  const place = findCgroupPlace();
  if (place) cleanUpGroups(place, GROUPS_FOLDER);
  return { place, prlimit: place?.directories.pids === undefined ? findPrlimit(machine) : undefined };
}

/**
 * Since Linux 5.14 RLIMIT_NPROC is counted per user namespace, so if set inside a sandbox it applies only to that
 * sandbox. It never applies to root (kernel/fork.c: root of the initial namespace is exempt).
 */
function findPrlimit({ uid, kernel }: LimitMachine): string | undefined {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  const counts = major > 5 || (major === 5 && minor >= 14);
  return uid !== 0 && counts ? PRLIMIT.find(path => existsSync(path)) : undefined;
}

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'];

/** The group of a new command; undefined when no limit needs one, or when it is not available and not required. */
export function openGroup(
  runtime: RuntimeName,
  { place }: LimitMeans,
  { limits, enforcement }: Pick<Policy, 'limits' | 'enforcement'>,
  workspaceId: string,
  owner: GroupOwner,
): Group | undefined {
  if (!place || GROUP_LIMITS.every(limit => limits[limit] === undefined)) return undefined;
  try {
    return createGroup(place, limits, workspaceId, nameGroup(owner));
  } catch (error) {
    const problem = errnoOf(error);
    if (problem === undefined) throw error;
    if (enforcement === 'best-effort') return undefined;
    const wanted = GROUP_LIMITS.filter(limit => limits[limit] !== undefined);
    throw carrelError('LIMIT_NOT_ENFORCEABLE', { runtime, limits: wanted, problem }, error);
  }
}

/** Tests the means: what the machine offers and then refuses is left out. */
export async function tryLimitMeans(machine: LimitMachine, owner: GroupOwner): Promise<LimitMeans> {
  const means = findLimitMeans(machine);
  if (!means.place) return means;
  const { place } = means;
  const working = await Promise.all(
    GROUP_LIMITS.map(async limit => {
      const directory = place.directories[limit];
      if (directory === undefined) return [];
      const alone: CgroupPlace = { version: place.version, directories: { [limit]: directory } };
      return (await isWorking(alone, owner)) ? [[limit, directory] as const] : [];
    }),
  );
  return { ...means, place: { version: place.version, directories: Object.fromEntries(working.flat()) } };
}

const TRIAL = { memory: 64 * 1024 ** 2, pids: 64, cpu: 1 };
const TRIAL_NAME = '.trial';

async function isWorking(place: CgroupPlace, owner: GroupOwner): Promise<boolean> {
  try {
    const group = createGroup(place, TRIAL, TRIAL_NAME, nameGroup(owner));
    await group.remove();
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

import type { Limits } from '../../domain/sandbox/sandbox.js';
import type { CgroupPlace, GroupLimit } from './cgroup-place.js';

/** One file of a control group and its new content. */
export interface GroupSetting {
  readonly file: string;
  readonly value: string;
  /** Kernels without swap accounting have no such file; they do not swap, or their swap can't be limited. */
  readonly mayBeMissing?: boolean;
}

/** The settings for one limit, in the order that the kernel requires; none when it is not requested. */
export function groupSettings(
  version: CgroupPlace['version'],
  limit: GroupLimit,
  limits: Limits,
): GroupSetting[] {
  if (limits[limit] === undefined) return [];
  return version === 1 ? SETTINGS_1[limit](limits) : SETTINGS_2[limit](limits);
}

type Settings = Readonly<Record<GroupLimit, (limits: Limits) => GroupSetting[]>>;

/** Microseconds over which processor time is counted; the kernel's own default. */
const PERIOD = 100_000;
/** The kernel accepts no less than a millisecond per period. */
const LEAST_QUOTA = 1000;

const quota = ({ cpu = 0 }: Limits): number => Math.max(LEAST_QUOTA, Math.round(cpu * PERIOD));

/** Bubblewrap's own two: the process outside, and the first one inside. */
const OWN_PROCESSES = 2;
const processes = ({ pids = 0 }: Limits): string => String(pids + OWN_PROCESSES);

/** Without a swap limit, swap is off: memory that may be swapped out is not a limit that others can rely on. */
const withSwap = ({ memory = 0, memorySwap }: Limits): number => Math.max(memory, memorySwap ?? memory);

const SETTINGS_1: Settings = {
  memory: limits => [
    { file: 'memory.limit_in_bytes', value: String(limits.memory) },
    { file: 'memory.memsw.limit_in_bytes', value: String(withSwap(limits)), mayBeMissing: true },
  ],
  pids: limits => [{ file: 'pids.max', value: processes(limits) }],
  cpu: limits => [
    { file: 'cpu.cfs_period_us', value: String(PERIOD) },
    { file: 'cpu.cfs_quota_us', value: String(quota(limits)) },
  ],
};

const SETTINGS_2: Settings = {
  memory: limits => [
    { file: 'memory.max', value: String(limits.memory) },
    { file: 'memory.swap.max', value: String(withSwap(limits) - (limits.memory ?? 0)), mayBeMissing: true },
  ],
  pids: limits => [{ file: 'pids.max', value: processes(limits) }],
  cpu: limits => [{ file: 'cpu.max', value: `${quota(limits)} ${PERIOD}` }],
};

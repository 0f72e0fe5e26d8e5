import type { Alert, Overview } from '../../domain/overview.js';
import { formatSize } from '../../domain/quantity.js';
import type { Remains } from '../../domain/remains.js';
import type { SlotRecord } from '../../domain/slot.js';
import type { TaskRecord } from '../../domain/task.js';

/** Whether commands can be sandboxed on this machine. */
export type RuntimeLook = () => Promise<boolean>;

export interface AlertFacts {
  readonly disks: Overview['disks'];
  readonly slots: readonly SlotRecord[];
  readonly remains: readonly Remains[];
  /** The last ones that ended. */
  readonly ended: readonly TaskRecord[];
  readonly lookForRuntime: RuntimeLook;
}

/** What somebody should do something about. */
export async function findAlerts({
  disks,
  slots,
  remains,
  ended,
  lookForRuntime,
}: AlertFacts): Promise<Alert[]> {
  return [
    ...disks.flatMap(describeDisk),
    ...remains.flatMap(describeRemains),
    ...describeInterrupted(ended),
    ...describeQuarantine(slots),
    ...((await lookForRuntime()) ? [] : [NO_RUNTIME]),
  ];
}

/** Below this much of the whole and in bytes; a large disk with five percent left has room for a long time. */
const SCARCE = { share: 0.05, bytes: 5 * 1024 ** 3 };
/** Below this new workspaces are refused soon: `workspace.limits.freeDisk` is 512 MB by default. */
const NEARLY_NONE_BYTES = 1024 ** 3;

function describeDisk({ name, path, freeBytes, totalBytes }: Overview['disks'][number]): Alert[] {
  if (freeBytes > SCARCE.bytes || freeBytes > SCARCE.share * totalBytes) return [];
  const level = freeBytes < NEARLY_NONE_BYTES ? 'problem' : 'warning';
  const message = `${formatSize(freeBytes)} are free where the ${name} directory is, ${path}`;
  return [{ level, message, hint: 'see what can go with: carrel gc' }];
}

function describeRemains({ failure, directory, holds }: Remains): Alert[] {
  if (failure === undefined) return [];
  const what = holds === 'work' ? 'work could not be captured yet' : 'files could not be deleted yet';
  const message = `${what} in ${directory}: ${failure}`;
  return [{ level: holds === 'work' ? 'problem' : 'warning', message, hint: 'try again with: carrel gc' }];
}

function describeInterrupted(ended: readonly TaskRecord[]): Alert[] {
  const interrupted = ended.filter(({ status }) => status === 'interrupted');
  const [first] = interrupted;
  if (!first) return [];
  const message = `${interrupted.length} task(s) were interrupted`;
  return [{ level: 'warning', message, hint: `go on with: carrel task retry ${first.id}` }];
}

function describeQuarantine(slots: readonly SlotRecord[]): Alert[] {
  const quarantined = slots.filter(({ status }) => status === 'quarantined');
  if (quarantined.length === 0) return [];
  const message = `${quarantined.length} warm workspace(s) are in quarantine: ${quarantined[0]?.reason ?? ''}`;
  return [{ level: 'warning', message, hint: 'look at them with: carrel pool status' }];
}

const NO_RUNTIME: Alert = {
  level: 'warning',
  message:
    'no sandboxed runtime works here: isolation full falls back to worktree, or is refused when strict',
  hint: 'install bubblewrap, for example with: apt-get install bubblewrap',
};

import type { Alert, Overview } from '../../../domain/api/overview.js';
import type { Remains } from '../../../domain/snapshot/remains.js';
import type { TaskRecord } from '../../../domain/task/task.js';
import { formatSize } from '../../../domain/text/format-quantity.js';
import type { SlotRecord } from '../../../domain/workspace/slot.js';

/** Whether commands can be sandboxed on this machine. */
export type RuntimeLook = () => Promise<boolean>;

export interface AlertFacts {
  readonly disks: Overview['disks'];
  readonly slots: readonly SlotRecord[];
  readonly remains: readonly Remains[];
  /** The last tasks that stopped. */
  readonly ended: readonly TaskRecord[];
  readonly lookForRuntime: RuntimeLook;
}

/** Problems that the user should act on. */
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

/** Both a share and a number of bytes: five percent of a large disk is plenty. */
const SCARCE = { share: 0.05, bytes: 5 * 1024 ** 3 };
/** Below this, new workspaces will soon be refused: `workspace.limits.freeDisk` is 512 MB by default. */
const NEARLY_NONE_BYTES = 1024 ** 3;

function describeDisk({ name, path, freeBytes, totalBytes }: Overview['disks'][number]): Alert[] {
  if (freeBytes > SCARCE.bytes || freeBytes > SCARCE.share * totalBytes) return [];
  const level = freeBytes < NEARLY_NONE_BYTES ? 'problem' : 'warning';
  const message = `only ${formatSize(freeBytes)} free in the ${name} directory ${path}`;
  return [{ level, message, hint: 'see what can be removed with: carrel gc' }];
}

function describeRemains({ failure, directory, holds }: Remains): Alert[] {
  if (failure === undefined) return [];
  const what = holds === 'work' ? 'cannot capture work yet' : 'cannot delete files yet';
  const message = `${what} in ${directory}: ${failure}`;
  return [{ level: holds === 'work' ? 'problem' : 'warning', message, hint: 'try again with: carrel gc' }];
}

function describeInterrupted(ended: readonly TaskRecord[]): Alert[] {
  const interrupted = ended.filter(({ status }) => status === 'interrupted');
  const [first] = interrupted;
  if (!first) return [];
  const message = `${interrupted.length === 1 ? '1 task was' : `${interrupted.length} tasks were`} interrupted`;
  return [{ level: 'warning', message, hint: `resume with: carrel task retry ${first.id}` }];
}

function describeQuarantine(slots: readonly SlotRecord[]): Alert[] {
  const quarantined = slots.filter(({ status }) => status === 'quarantined');
  if (quarantined.length === 0) return [];
  const message = `warm workspaces in quarantine: ${quarantined.length}; ${quarantined[0]?.reason ?? ''}`;
  return [{ level: 'warning', message, hint: 'see them with: carrel pool status' }];
}

const NO_RUNTIME: Alert = {
  level: 'warning',
  message: 'no sandbox runtime works on this machine; isolation full is not available',
  hint: 'install bubblewrap, for example with: apt-get install bubblewrap',
};

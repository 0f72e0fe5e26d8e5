import type { BatchSummary } from '../../domain/batch/batch-summary.js';
import { carrelError } from '../../domain/error/error.js';
import { isSameProcess, type ProcessIdentity } from '../../domain/process-identity.js';
import { interruptProcess } from '../../exec/stop/interrupt-process.js';
import { describeHost, findLivingOwner } from '../../operations/batch/owner-file.js';
import type { Context } from '../../operations/context.js';
import { findRun } from '../record/find-run.js';
import { runPlace } from '../record/run-place.js';
import { readRun } from '../record/run-store.js';
import { summarizeBatch } from '../record/summarize-batch.js';

/** Stops a batch after its running attempts. Calling it again changes nothing. RUN_NOT_FOUND, RUN_BUSY. */
export async function stopRun(
  context: Pick<Context, 'store' | 'self' | 'places' | 'cwd'>,
  name: string,
): Promise<BatchSummary> {
  const directory = await findRun(context, name);
  const owner = await findLivingOwner(runPlace(directory).ownerFile);
  const run = await readRun(directory);
  if (!owner) return summarizeBatch(run);
  ask(context, run.id, owner);
  return summarizeBatch(await readRun(directory));
}

/** Of each caller. The first SIGINT lets running attempts finish, a second one kills them, so each process gets only one. */
const askedBy = new WeakMap<Context['store'], ProcessIdentity[]>();

function ask({ store, self }: Pick<Context, 'store' | 'self'>, id: string, owner: ProcessIdentity): void {
  const asked = askedBy.get(store) ?? [];
  if (asked.some(each => isSameProcess(each, owner))) return;
  // Owned by us between the plan and the start of its process, or not reachable from here.
  if (isSameProcess(owner, self) || !interruptProcess(owner))
    throw carrelError('RUN_BUSY', { id, pid: owner.pid, where: describeHost(owner) });
  askedBy.set(store, [...asked, owner]);
}

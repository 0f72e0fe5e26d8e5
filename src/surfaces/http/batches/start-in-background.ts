import { type OpenRun, readRun } from '../../../batch/record/run-store.js';
import { summarizeBatch } from '../../../batch/record/summarize-batch.js';
import type { BatchSummary } from '../../../domain/batch/batch-summary.js';
import { carrelError } from '../../../domain/error/error.js';
import { describeHost, findLivingOwner, handOverOwnership } from '../../../operations/batch/owner-file.js';
import type { ServerContext } from '../server-context.js';

/**
 * Passes a run that this process has opened to a new process, which outlives the server. It is `running` from here on.
 * RUN_BUSY if another process took it in between.
 */
export async function leaveToBackground(server: ServerContext, run: OpenRun): Promise<BatchSummary> {
  const { plan, place } = run;
  await run.close();
  const { repository } = server.settings;
  const where = repository === null ? [] : ['-R', repository];
  const worker = server.app.startBackground(['eval', 'resume', plan.id, ...where], { priority: 'normal' });
  if (!worker) throw carrelError('INTERNAL', { problem: 'cannot start a process for the batch' });
  if (!handOverOwnership(place.ownerFile, worker)) {
    const owner = await findLivingOwner(place.ownerFile);
    throw carrelError('RUN_BUSY', { id: plan.id, pid: owner?.pid ?? 0, where: describeHost(owner) });
  }
  return summarizeBatch(await readRun(place.directory));
}

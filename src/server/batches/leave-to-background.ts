import { findLivingOwner, leaveOwnership } from '../../batch/owner-file.js';
import { type OpenRun, readRun } from '../../batch/run-store.js';
import type { BatchSummary } from '../../domain/batch-summary.js';
import { carrelError } from '../../domain/error.js';
import type { ServerContext } from '../server-context.js';
import { summarizeBatch } from './batch-summary.js';

/**
 * Gives a run that this process has opened to a new process, which outlives the server. It is `running` from here on. RUN_BUSY
 * when somebody took it between the two.
 */
export async function leaveToBackground(server: ServerContext, run: OpenRun): Promise<BatchSummary> {
  const { plan, place } = run;
  await run.close();
  const { repository } = server.settings;
  const where = repository === null ? [] : ['-R', repository];
  const worker = server.app.startBackground(['eval', 'resume', plan.id, ...where], { priority: 'normal' });
  if (!worker) throw carrelError('INTERNAL', { problem: 'no process could be started for the batch' });
  if (!leaveOwnership(place.ownerFile, worker)) {
    const owner = await findLivingOwner(place.ownerFile);
    throw carrelError('RUN_BUSY', { id: plan.id, pid: owner?.pid ?? 0 });
  }
  return summarizeBatch(await readRun(place.directory));
}

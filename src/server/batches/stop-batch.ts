import { findRunById } from '../../batch/find-run.js';
import { findLivingOwner } from '../../batch/owner-file.js';
import { runPlace } from '../../batch/run-place.js';
import { readRun } from '../../batch/run-store.js';
import type { BatchSummary } from '../../domain/batch-summary.js';
import { carrelError } from '../../domain/error.js';
import { isSameProcess, type ProcessIdentity } from '../../domain/process-identity.js';
import { interruptProcess } from '../../exec/interrupt-process.js';
import type { ServerContext } from '../server-context.js';
import { summarizeBatch } from './batch-summary.js';

export interface BatchStopper {
  /** Lets a batch come to its end: nothing new begins. Asking again changes nothing. RUN_NOT_FOUND, RUN_BUSY. */
  stop(id: string): Promise<BatchSummary>;
}

/** The first SIGINT lets a batch come to its end, a second one cuts attempts off: so each process gets one only. */
export function createBatchStopper({ app }: ServerContext): BatchStopper {
  const asked: ProcessIdentity[] = [];
  const ask = (id: string, owner: ProcessIdentity) => {
    if (asked.some(each => isSameProcess(each, owner))) return;
    // Ours for the moment between the plan and the process that works it off; or where it can't be reached from here.
    if (isSameProcess(owner, app.self) || !interruptProcess(owner))
      throw carrelError('RUN_BUSY', { id, pid: owner.pid });
    asked.push(owner);
  };
  return {
    stop: async id => {
      const directory = await findRunById(app, id);
      const owner = await findLivingOwner(runPlace(directory).ownerFile);
      if (owner) ask(id, owner);
      return summarizeBatch(await readRun(directory));
    },
  };
}

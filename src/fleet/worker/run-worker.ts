import { mkdir } from 'node:fs/promises';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import type { Engine } from '../engine/engine.js';
import { openTaskRunner, removeOldClaims } from '../task/worker/task-runner.js';
import { openJobRunner } from '../travel/job-runner.js';
import { openClaimMemory } from '../travel/trust/claim-memory.js';
import type { WorkerTerms } from '../travel/trust/worker-terms.js';
import { handleJob } from './handle-job.js';
import { createSharedLimits } from './shared-limits.js';
import { DISK_RESERVE_BYTES, holdHost, lookAtDisk } from './worker-host.js';

export interface WorkerOptions {
  readonly engine: Engine;
  readonly store: BlobStore;
  readonly terms: WorkerTerms;
  /** Shown in `fleet ls`. */
  readonly name: string;
  readonly slots: number;
  /** Claims nothing more, and finishes what it has. */
  readonly drain: AbortSignal;
  /** Also stops its agents. */
  readonly stop: AbortSignal;
  readonly untilIdleMs?: number | undefined;
  readonly diskReserveBytes?: number | undefined;
  /** Called when it is ready to claim. */
  readonly onReady?: ((host: string) => void) | undefined;
}

/** Works for a fleet until it is drained or stopped, or had no job for long enough. WORKER_BUSY. */
export async function runWorker(context: Context, options: WorkerOptions): Promise<void> {
  const { engine, store, terms, name, slots, drain, stop, untilIdleMs } = options;
  const { diskReserveBytes = DISK_RESERVE_BYTES } = options;
  const host = await holdHost(context);
  const onTrouble = createReporter(context.narrate);
  const limits = createSharedLimits(engine, onTrouble);
  const runner = await openJobRunner(context, { store, slots, limits });
  try {
    await mkdir(context.places.cacheDir, { recursive: true });
    await removeOldClaims(context);
    const tasks = openTaskRunner(context, store);
    const handling = { context, engine, store, runner, tasks, terms, memory: openClaimMemory(context) };
    options.onReady?.(host.id);
    await engine.work(
      {
        ...{ id: host.id, spoolDir: host.spoolDir, name, slots, drain, stop, untilIdleMs },
        labels: terms.labels,
        versions: { carrel: terms.carrel },
        look: () => lookAtDisk(context, diskReserveBytes),
        onTrouble,
      },
      claimed => handleJob(handling, claimed),
    );
  } finally {
    await runner.close();
    await host.release();
  }
}

/** The database may be away for minutes: the same trouble is reported once. */
function createReporter(narrate: Context['narrate']): (error: unknown) => void {
  let last = '';
  return error => {
    const text = error instanceof Error ? error.message : String(error);
    if (text !== last) narrate(`warning: ${text}`);
    last = text;
  };
}

import { isCarrelError } from '../../domain/error/error.js';
import type { EngineTiming } from '../engine/engine.js';
import type { JobResult } from '../engine/job.js';
import type { LedgerSession } from '../ledger/ledger-session.js';
import { isRunOver, listResults } from '../ledger/reading/read-runs.js';
import { createBell } from './bell.js';
import type { NewsHub } from './news.js';

export interface WatchParts {
  readonly ledger: LedgerSession;
  readonly timing: EngineTiming;
  readonly news: NewsHub;
  /** Aborted when the engine is closed. */
  readonly closed: AbortSignal;
}

/** See `Engine.watch`. */
export async function* watchRun(
  { ledger, timing, news, closed }: WatchParts,
  run: string,
  { after = 0, signal }: { readonly after?: number; readonly signal?: AbortSignal },
): AsyncGenerator<JobResult> {
  const bell = createBell();
  const over = signal ? AbortSignal.any([signal, closed]) : closed;
  over.addEventListener('abort', bell.ring);
  const forget = news.subscribe(one => one === `run ${run}` && bell.ring());
  try {
    let last = after;
    while (!over.aborted) {
      const next = await readNext(ledger, run, last).catch(continueAfterOutage);
      for (const result of next.results) {
        yield result;
        last = result.sequence;
      }
      if (next.isOver) return;
      if (next.results.length === 0) await bell.wait(timing.pollMs);
    }
  } finally {
    forget();
    over.removeEventListener('abort', bell.ring);
  }
}

/** Whether jobs are left is read only when there is no result; then a last result may have come. */
async function readNext(
  ledger: LedgerSession,
  run: string,
  after: number,
): Promise<{ results: JobResult[]; isOver: boolean }> {
  const results = await listResults(ledger, run, after);
  if (results.length > 0) return { results, isOver: false };
  if (!(await isRunOver(ledger, run))) return { results: [], isOver: false };
  const last = await listResults(ledger, run, after);
  return { results: last, isOver: last.length === 0 };
}

function continueAfterOutage(error: unknown): { results: JobResult[]; isOver: boolean } {
  if (!isCarrelError(error, 'FLEET_UNAVAILABLE')) throw error;
  return { results: [], isOver: false };
}

import type { BatchRun } from '../../../../src/domain/batch/batch-run.js';
import { type Answer, useAnswer } from '../../server/use-answer.js';

/** Batches send no events. An unchanged response is not sent again: the browser knows its ETag. */
const EVERY_MS = 2_000;

export const useBatch = (id: string): Answer<BatchRun> =>
  useAnswer({
    key: `batch ${id}`,
    load: (client, signal) => client.batches.show(id, { signal }),
    everyMs: EVERY_MS,
  });

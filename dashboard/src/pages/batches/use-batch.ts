import type { BatchRun } from '../../../../src/domain/batch-run.js';
import { type Answer, useAnswer } from '../../server/use-answer.js';

/** A batch tells of nothing by events. An answer that is the same is not sent again: the browser knows its ETag. */
const EVERY_MS = 2_000;

export const useBatch = (id: string): Answer<BatchRun> =>
  useAnswer({
    key: `batch ${id}`,
    load: (client, signal) => client.batches.show(id, { signal }),
    everyMs: EVERY_MS,
  });

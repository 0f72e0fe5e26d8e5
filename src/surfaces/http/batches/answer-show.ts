import { z } from '@hono/zod-openapi';
import { readRun } from '../../../batch/record/run-store.js';
import { BatchRunSchema } from '../../../domain/batch/batch-run.js';
import { answerUnlessSame } from '../responses/entity-tag.js';
import { jsonAnswer } from '../responses/route-responses.js';
import type { Answer, OwnDescription } from '../routes/own-answers.js';

export const describeBatch: OwnDescription = {
  headers: z.object({ 'if-none-match': z.string().optional() }),
  answers: {
    200: {
      ...jsonAnswer(BatchRunSchema, 'the run with its attempts'),
      headers: z.object({ etag: z.string().describe('changes when the run changes') }),
    },
    304: { description: 'the run has not changed since that ETag' },
  },
};

/** A page that shows a run asks for it again and again. */
export const answerBatch =
  (): Answer =>
  async ({ input }, c) =>
    answerUnlessSame(c, await readRun(input.run as string));

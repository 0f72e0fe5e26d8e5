import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { readRun } from '../../../batch/record/run-store.js';
import { BatchRunSchema } from '../../../domain/batch/batch-run.js';
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

/** A value as JSON, or 304 if the client already has it. For resources that are requested often. */
function answerUnlessSame<T>(c: Context, value: T) {
  const text = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const known = c.req.header('if-none-match') ?? '';
  // A proxy may have made it weak.
  const isKnown = known.split(',').some(each => each.trim().replace(/^W\//, '') === etag);
  c.header('etag', etag);
  // Other answers of the API are not cached; this one is, and is revalidated before use.
  c.header('cache-control', 'private, no-cache');
  return isKnown ? c.body(null, 304) : c.body(text, 200, { 'content-type': 'application/json' });
}

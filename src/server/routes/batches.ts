import { createRoute, z } from '@hono/zod-openapi';
import { findRunById, listRuns } from '../../batch/find-run.js';
import { compareRuns } from '../../batch/report/compare-runs.js';
import { readRun } from '../../batch/run-store.js';
import { BatchRequestSchema } from '../../domain/api-requests.js';
import { BatchRunSchema } from '../../domain/batch-run.js';
import { BatchSummarySchema } from '../../domain/batch-summary.js';
import { ComparisonSchema } from '../../domain/comparison.js';
import { carrelError } from '../../domain/error.js';
import type { AddRoutes } from '../api.js';
import { summarizeBatch } from '../batches/batch-summary.js';
import { resumeBatch } from '../batches/resume-batch.js';
import { startBatch } from '../batches/start-batch.js';
import { createBatchStopper } from '../batches/stop-batch.js';
import { answerUnlessSame } from '../entity-tag.js';
import { jsonAnswer, jsonBody, problemAnswers } from '../route-answers.js';
import { addBatchResultRoutes } from './batch-results.js';

const tags = ['batches'];
const params = z.object({ run: z.string().min(1).describe('id of the batch run') });

const startRoute = createRoute({
  method: 'post',
  path: '/api/batches',
  operationId: 'startBatch',
  tags,
  summary: 'Let an agent work through a data set',
  request: { body: jsonBody(BatchRequestSchema) },
  responses: {
    202: jsonAnswer(BatchSummarySchema, 'it is planned, and a process of its own works on it'),
    ...problemAnswers(400, 404, 422, 503),
  },
});

const listRoute = createRoute({
  method: 'get',
  path: '/api/batches',
  operationId: 'listBatches',
  tags,
  summary: 'List batch runs',
  responses: { 200: jsonAnswer(z.array(BatchSummarySchema), 'newest first') },
});

const showRoute = createRoute({
  method: 'get',
  path: '/api/batches/{run}',
  operationId: 'showBatch',
  tags,
  summary: 'Show a batch run with its attempts',
  request: { params, headers: z.object({ 'if-none-match': z.string().optional() }) },
  responses: {
    200: {
      ...jsonAnswer(BatchRunSchema, 'the run'),
      headers: z.object({ etag: z.string().describe('changes with the run') }),
    },
    304: { description: 'it is as it was under that ETag' },
    ...problemAnswers(404),
  },
});

const stopRoute = createRoute({
  method: 'post',
  path: '/api/batches/{run}/stop',
  operationId: 'stopBatch',
  tags,
  summary: 'Begin no more attempts; those that run come to their end',
  request: { params },
  responses: { 202: jsonAnswer(BatchSummarySchema, 'its process was told'), ...problemAnswers(404, 409) },
});

const resumeRoute = createRoute({
  method: 'post',
  path: '/api/batches/{run}/resume',
  operationId: 'resumeBatch',
  tags,
  summary: 'Do what is left of a batch run',
  request: { params },
  responses: {
    202: jsonAnswer(BatchSummarySchema, 'a process of its own goes on with it'),
    ...problemAnswers(400, 404, 409, 422),
  },
});

const compareRoute = createRoute({
  method: 'get',
  path: '/api/comparisons',
  operationId: 'compareBatches',
  tags,
  summary: 'Compare batch runs with the first of them',
  request: { query: z.object({ runs: z.string().min(1).describe('two ids or more, separated by commas') }) },
  responses: { 200: jsonAnswer(ComparisonSchema, 'task by task'), ...problemAnswers(404, 422) },
});

export const addBatchRoutes: AddRoutes = (api, server) => {
  const { app } = server;
  const stopper = createBatchStopper(server);
  const read = async (id: string) => readRun(await findRunById(app, id));
  api.openapi(startRoute, async c => {
    const started = await startBatch(server, c.req.valid('json'), c.req.raw.signal);
    return c.json(started, 202, { location: `/api/batches/${started.id}` });
  });
  api.openapi(listRoute, async c => c.json((await listRuns(app)).map(summarizeBatch), 200));
  api.openapi(showRoute, async c => answerUnlessSame(c, await read(c.req.valid('param').run)));
  api.openapi(stopRoute, async c => c.json(await stopper.stop(c.req.valid('param').run), 202));
  api.openapi(resumeRoute, async c =>
    c.json(await resumeBatch(server, c.req.valid('param').run, c.req.raw.signal), 202),
  );
  api.openapi(compareRoute, async c => {
    const ids = readIds(c.req.valid('query').runs);
    return c.json(compareRuns(await Promise.all(ids.map(read))), 200);
  });
  addBatchResultRoutes(api, server);
};

function readIds(text: string): string[] {
  const ids = text.split(',').filter(id => id !== '');
  if (ids.length >= 2 && ids.length <= MOST_COMPARED) return ids;
  const expected = `2 to ${MOST_COMPARED}, separated by commas`;
  throw carrelError('INVALID_INPUT', { what: 'the number of runs', found: String(ids.length), expected });
}

const MOST_COMPARED = 20;

import { createRoute, z } from '@hono/zod-openapi';
import { findRunById } from '../../batch/find-run.js';
import { exportRun } from '../../batch/report/export-run.js';
import { reportPolicy } from '../../batch/report/html/write-html.js';
import { readRun } from '../../batch/run-store.js';
import type { AddRoutes } from '../api.js';
import { readAttemptLog, readAttemptPatch } from '../batches/attempt-file.js';
import { problemAnswers, textAnswer } from '../route-answers.js';
import { streamOutput } from '../stream-output.js';

const tags = ['batches'];
const params = z.object({
  run: z.string().min(1).describe('id of the batch run'),
  task: z.string().min(1).describe('id of the task in its data set'),
  attempt: z.coerce.number().int().min(1).describe('from 1 on'),
});

const patchRoute = createRoute({
  method: 'get',
  path: '/api/batches/{run}/attempts/{task}/{attempt}/patch',
  operationId: 'showAttemptPatch',
  tags,
  summary: 'What an attempt has changed, as `git apply` takes it',
  request: { params },
  responses: { 200: textAnswer('text/x-diff', 'the patch; empty for none'), ...problemAnswers(400, 404) },
});

const logRoute = createRoute({
  method: 'get',
  path: '/api/batches/{run}/attempts/{task}/{attempt}/log',
  operationId: 'showAttemptLog',
  tags,
  summary: 'What the agent of an attempt has printed; its end, where that is long',
  request: { params },
  responses: {
    200: textAnswer(
      'text/plain',
      'as it was printed: control characters are the business of whoever shows it',
    ),
    ...problemAnswers(400, 404),
  },
});

const reportRoute = createRoute({
  method: 'get',
  path: '/api/batches/{run}/report',
  operationId: 'showBatchReport',
  tags,
  summary: 'A batch run as one page',
  request: { params: params.pick({ run: true }) },
  responses: { 200: textAnswer('text/html', 'a page that needs nothing else'), ...problemAnswers(404) },
});

/** What is kept of attempts, as text. */
export const addBatchResultRoutes: AddRoutes = (api, server) => {
  api.openapi(patchRoute, async c => {
    const { run, task: taskId, attempt } = c.req.valid('param');
    const patch = await readAttemptPatch(server, { run, taskId, attempt });
    return c.body(new Uint8Array(patch), 200, { 'content-type': 'text/x-diff' });
  });
  api.openapi(logRoute, async c => {
    const { run, task: taskId, attempt } = c.req.valid('param');
    const log = await readAttemptLog(server, { run, taskId, attempt });
    return c.text(log.toString('utf8'), 200);
  });
  api.openapi(reportRoute, async c => {
    const run = await readRun(await findRunById(server.app, c.req.valid('param').run));
    const page = await streamOutput(write => exportRun(run, 'html', text => write(Buffer.from(text))));
    return c.body(page, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${reportPolicy()}; frame-ancestors 'none'`,
    });
  });
};

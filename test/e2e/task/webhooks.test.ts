import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { writeFiles } from '../../helpers/repository.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';

// Webhooks, received by a real HTTP server on loopback that checks every signature.

const SECRET = 'a-secret-of-some-length';

interface Received {
  readonly path: string;
  readonly type: string;
  readonly delivery: string;
  readonly body: {
    readonly type: string;
    readonly data?: unknown;
    readonly task?: Task;
    readonly batch?: object;
  };
}

/** `answer` gives the status, by the path and how often it was called. */
async function startReceiver(answer: (path: string, count: number) => number) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    requireSignature(request, body);
    const path = request.url ?? '';
    received.push({
      path,
      type: String(request.headers['carrel-event']),
      delivery: String(request.headers['carrel-delivery']),
      body: JSON.parse(body),
    });
    const status = answer(path, received.filter(each => each.path === path).length);
    response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>(resolve => server.close(() => resolve())));
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** As a receiver does it: without our code. */
function requireSignature({ headers }: IncomingMessage, body: string): void {
  const [, time = '', signature = ''] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['carrel-signature'])) ?? [];
  const own = createHmac('sha256', SECRET).update(`${time}.${body}`).digest();
  if (!timingSafeEqual(own, Buffer.from(signature, 'hex'))) throw new Error('wrong signature');
}

/** Of a server that has stopped. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>(resolve => server.close(() => resolve()));
  return `http://127.0.0.1:${port}`;
}

const hook = (url: string, ...events: string[]) => ({ url, events, secret: { env: 'HOOK_SECRET' } });

const makeSite = (webhooks: readonly object[], stage: object = {}) =>
  makeScriptedTasks({
    agents: { worker: `echo ${SECRET} > /dev/null; echo 1 > made.txt` },
    stages: [{ name: 'only', agent: 'worker', ...stage }],
    workflow: { isolation: 'worktree' },
    config: { webhooks },
    environment: { HOOK_SECRET: SECRET },
  });

test('signed events arrive in order, again after a failure, and only those that were chosen', async () => {
  const { received, url } = await startReceiver((path, count) =>
    path === '/all' && count === 1 ? 503 : 204,
  );
  const { carrel, repository } = makeSite([
    hook(`${url}/all`, 'task.*', 'stage.*'),
    hook(`${url}/end`, 'task.succeeded'),
  ]);
  const { status, stdout } = await carrel.start(repository, 'run', 'Do it', '--json');
  expect(status).toBe(0);
  const { id } = JSON.parse(stdout) as Task;
  const all = received.filter(({ path }) => path === '/all');
  expect(all.map(({ type }) => type)).toEqual([
    'task.created',
    'task.created',
    'task.started',
    'task.workspace-ready',
    'stage.started',
    'stage.attempt-started',
    'stage.succeeded',
    'task.validating',
    'task.succeeded',
    'task.workspace-removed',
  ]);
  // The repetition has the same id.
  expect(new Set(all.map(({ delivery }) => delivery)).size).toBe(all.length - 1);
  expect(all.at(-2)?.body).toMatchObject({
    type: 'task.succeeded',
    task: { id, status: 'succeeded', repository },
  });
  expect(received.filter(({ path }) => path === '/end').map(({ type }) => type)).toEqual(['task.succeeded']);
});

thoroughTest(
  'a webhook that fails, redirects or has no secret does not fail the task, and the log has the reason',
  async () => {
    const { received, url } = await startReceiver(path => (path === '/away' ? 307 : 400));
    const { carrel, repository } = makeSite([
      hook(`${url}/away`, 'task.started'),
      hook(`${url}/bad`, 'task.started'),
      hook(await closedAddress(), 'task.started'),
      { ...hook(`${url}/unsigned`, '*'), secret: { env: 'NOT_SET' } },
    ]);
    const { status, stdout } = await carrel.start(repository, 'run', 'Do it', '--json');
    expect(status).toBe(0);
    const { id } = JSON.parse(stdout) as Task;
    expect(received.map(({ path }) => path).sort()).toEqual(['/away', '/bad']);
    const log = carrel.ok(repository, 'task', 'logs', id);
    for (const problem of ['status 307', 'status 400', 'ECONNREFUSED', 'NOT_SET is not set'])
      expect(log).toContain(problem);
    expect(log).not.toContain('/away');
  },
);

thoroughTest('events between two runs, and those of a decision without a run, arrive as well', async () => {
  const { received, url } = await startReceiver(() => 200);
  const site = makeSite([hook(url, '*')], { approve: true });
  const { carrel, repository } = site;
  const first = JSON.parse((await carrel.start(repository, 'run', 'Do it', '--json')).stdout) as Task;
  expect(received.at(-1)?.type).toBe('task.waiting-for-approval');
  await carrel.start(repository, 'task', 'reject', first.id, '-m', 'no');
  expect(received.slice(-2).map(({ type }) => type)).toEqual(['stage.rejected', 'task.failed']);
  await carrel.start(repository, 'task', 'retry', first.id);
  await carrel.start(repository, 'task', 'approve', first.id);
  const types = received.map(({ type }) => type);
  expect(types.filter(type => /approv|retried|succeeded/.test(type))).toEqual([
    'stage.succeeded',
    'task.waiting-for-approval',
    'task.retried',
    'stage.succeeded',
    'task.waiting-for-approval',
    'stage.approved',
    'task.succeeded',
  ]);
  expect(new Set(received.map(({ delivery }) => delivery)).size).toBe(received.length);
});

thoroughTest('a batch reports its start and its result', async () => {
  const { received, url } = await startReceiver(() => 200);
  const { carrel, repository } = makeSite([hook(url, 'batch.*')]);
  const words = ['--dataset', 'golden', '--sample', '1', '--agent', 'worker', '--isolation', 'worktree'];
  await carrel.start(repository, 'eval', 'run', ...words);
  expect(received.map(({ body: { type, batch } }) => ({ type, batch }))).toMatchObject([
    { type: 'batch.started', batch: { tasks: 1, agent: 'worker' } },
    { type: 'batch.finished', batch: { status: 'finished', totals: { failed: 1 } } },
  ]);
});

test('a file of the repository cannot send anything out', () => {
  const { carrel, repository } = makeSite([]);
  writeFiles(repository, {
    '.carrel/config.yaml': 'webhooks: [{url: "http://127.0.0.1:1", events: ["*"], secret: {env: HOME}}]\n',
  });
  expect(carrel.error(repository, 'run', 'Do it')).toMatchObject({ code: 'CONFIG_USER_ONLY', status: 2 });
});

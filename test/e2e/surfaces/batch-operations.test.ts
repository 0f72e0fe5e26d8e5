import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { EvalItem } from '../../../src/domain/batch/eval-item.js';
import type { BatchRequest } from '../../../src/surfaces/client/index.js';
import { writeDataset } from '../../helpers/batch/eval-bench.js';
import { createCarrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { findByWord } from '../../helpers/machine/processes.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';

// The operations on batches are declared once; every surface has them, and refuses the same things.

const item = (id: string, tag: string): EvalItem => ({
  id,
  tags: [tag],
  description: 'Write "yes" to done.txt',
  base: { kind: 'files', files: { 'README.md': 'hello\n' } },
  graders: [{ kind: 'command', name: 'check', run: 'test "$(cat done.txt)" = yes' }],
});
const items = [item('one', 'a'), item('two', 'b'), item('three', 'c')];

/** A user whose usual agent does what the tasks say. */
function makeUser() {
  const carrel = createCarrel();
  const config = { agents: { writer: { command: 'echo yes > done.txt' } }, tasks: { agent: 'writer' } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
  return carrel;
}

test('the command line reads lists, rates and durations, and compares two runs or more', () => {
  const [carrel, here, dataset] = [makeUser(), tempDir(), writeDataset(items)];
  const words = ['--dataset', dataset, '--tags', 'a, b', '--gate', '50%', '--timeout', '2m'];
  const run = carrel.json<BatchRun>(here, 'eval', 'run', ...words, '--out', 'results');
  expect(run).toMatchObject({ taskIds: ['one', 'two'], agent: 'writer', gate: 0.5, timeoutMs: 120_000 });
  expect(run.directory).toBe(join(here, 'results'));
  expect(carrel.json(here, 'eval', 'compare', run.id, 'results')).toMatchObject({ pairs: [{ both: 2 }] });
  const refuse = (...args: string[]) => JSON.parse(carrel.run(here, 'eval', ...args, '--json').stdout);
  expect(refuse('compare', run.id)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(refuse('run', ...words, '--gate', '2')).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(refuse('run', ...words, '--tags', ',')).toMatchObject({ error: { code: 'INVALID_INPUT' } });
  expect(carrel.run(here, 'eval', 'run')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--dataset'),
  });
});

thoroughTest('a request selects tasks as the command line does, and has narrower limits', async () => {
  const [carrel, dataset] = [makeUser(), writeDataset(items)];
  const { client, fetch } = await startTestServer({
    carrel,
    repository: makeRepository(),
    settings: { allowedRoots: [join(dataset, '..')] },
  });
  const { id } = await client.batches.start({ dataset, tags: ['b', 'c'], sample: 1, shuffle: 'seed' });
  await waitFor('the end of the batch', () => (findByWord(id).length === 0 ? true : undefined), 60_000);
  const run = await client.batches.show(id);
  expect(run).toMatchObject({ agent: 'writer', seed: 'seed', totals: { passed: 1 } });
  expect(await client.batches.report(id)).toContain(run.taskIds[0]);

  const post = (body: object) =>
    fetch('/api/batches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ dataset, ...body }),
    });
  for (const body of [
    { parallelism: 65 },
    { out: '/tmp/x' },
    { gate: 1 },
    { model: '--yolo' },
    { tag: ['b'] },
  ])
    expect([body, (await post(body)).status]).toEqual([body, 400]);
  const mistyped = { dataset, tag: ['b'] } as unknown as BatchRequest;
  await expect(client.batches.start(mistyped)).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('did you mean "tags"?'),
  });
  expect((await fetch(`/api/batches/${id}/attempts/${run.taskIds[0]}/0/log`)).status).toBe(400);
  expect((await fetch('/api/comparisons')).status).toBe(400);
  await expect(client.batches.compare(Array(21).fill(id))).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    status: 422,
    message: expect.stringContaining('2 to 20'),
  });
  await expect(client.batches.compare([id, run.directory])).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  expect(await client.batches.list()).toHaveLength(1);
});

test('a program starts, compares and reads batches with the same names', async () => {
  const [{ env }, repository, dataset] = [makeUser(), makeRepository(), writeDataset(items)];
  const carrel = await openLibrary({ repository, environment: env });
  onTestFinished(() => carrel.close());
  const { batches } = carrel;
  const { id, done } = await batches.start({ dataset, taskIds: ['one'] });
  expect(done).toBe(1);
  expect(await batches.patch(id, { task: 'one', attempt: 1 })).toContain('+yes');
  expect(await batches.log('latest', { task: 'one', attempt: 1 })).toEqual(expect.any(String));
  expect(await batches.report(id)).toContain('<html');
  expect(await batches.compare([id, 'latest'])).toMatchObject({ pairs: [{ both: 1 }] });
  await expect(batches.compare([id])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect((await batches.datasets(dataset)).tasks).toHaveLength(3);
  expect(await batches.datasets()).toMatchObject({ name: 'golden' });
  await expect(batches.patch(id, { task: 'two', attempt: 1 })).rejects.toMatchObject({
    code: 'ATTEMPT_NOT_FOUND',
  });
  await expect(batches.start({ dataset, tag: ['a'] } as never)).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: expect.stringContaining('did you mean "tags"?'),
  });
  expect(await batches.remove(id)).toMatchObject({ id });
});

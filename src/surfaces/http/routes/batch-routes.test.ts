import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { writeDataset } from '../../../../test/helpers/batch/eval-bench.js';
import { sampleAttempt, sampleRun, writeAttemptFiles } from '../../../../test/helpers/batch/sample-run.js';
import { createCarrel } from '../../../../test/helpers/carrel.js';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { findByWord } from '../../../../test/helpers/machine/processes.js';
import { makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { startTestServer, type TestServer } from '../../../../test/helpers/server/test-server.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { waitFor } from '../../../../test/helpers/wait-for.js';
import type { Attempt } from '../../../domain/batch/attempt.js';
import type { EvalItem } from '../../../domain/batch/eval-item.js';

const task = (id: string): EvalItem => ({
  id,
  description: 'Write "yes" to done.txt',
  base: { kind: 'files', files: { 'README.md': 'hello\n' } },
  graders: [{ kind: 'command', name: 'check', run: 'test "$(cat done.txt)" = yes' }],
});

/** The process of a run outlives the server, and would outlive the test. */
const untilLeft = (run: string): Promise<boolean> =>
  waitFor(`the end of ${run}`, () => (findByWord(run).length === 0 ? true : undefined), 60_000);

test('a batch starts, runs in its own process, and has results', async () => {
  const { client, fetch } = await startTestServer({ repository: makeRepository() });
  const wish = { dataset: 'golden', taskIds: ['fix-typo-001'] };
  const started = await client.batches.start({ ...wish, agent: 'oracle' });
  expect(started).toMatchObject({
    dataset: 'golden',
    agent: 'oracle',
    status: 'running',
    planned: 1,
    done: 0,
  });
  await untilLeft(started.id);
  const address = `/api/batches/${started.id}`;
  const run = await client.batches.show(started.id);
  expect(run).toMatchObject({
    status: 'finished',
    attempts: [{ taskId: 'fix-typo-001', outcome: 'passed' }],
  });
  expect(await client.batches.patch(run.id, 'fix-typo-001', 1)).toContain('diff --git');
  expect(await client.batches.log(run.id, 'fix-typo-001', 1)).toEqual(expect.any(String));
  const report = await fetch(`${address}/report`);
  expect(await report.text()).toContain('fix-typo-001');
  expect(report.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^;]+;/,
  );
  const other = await client.batches.start({ ...wish, agent: 'nop' });
  await untilLeft(other.id);
  expect((await client.batches.list()).map(({ id, done }) => [id, done])).toEqual([
    [other.id, 1],
    [run.id, 1],
  ]);
  const { pairs } = await client.batches.compare([run.id, other.id]);
  expect(pairs).toMatchObject([{ baseline: run.id, other: other.id, regressions: ['fix-typo-001'] }]);
});

test('a client that has the current run gets no second copy', async () => {
  const server = await startTestServer({ repository: makeRepository() });
  const { id, directory } = writeRun(server, [sampleAttempt()]);
  const first = await server.fetch(`/api/batches/${id}`);
  const etag = first.headers.get('etag') as string;
  expect(await first.json()).toMatchObject({ id, directory });
  const ask = () => server.fetch(`/api/batches/${id}`, { headers: { 'if-none-match': `W/${etag}` } });
  expect((await ask()).status).toBe(304);
  appendAttempt(directory, sampleAttempt({ taskId: 'fix-import-001' }));
  expect((await ask()).status).toBe(200);
});

thoroughTest(
  'a stopped batch, even when stopped twice, finishes its attempts, and continues when resumed',
  async () => {
    const carrel = createCarrel();
    const place = tempDir();
    const script = `: > ${place}/begun; until [ -e ${place}/open ]; do sleep 0.05; done; echo yes > done.txt`;
    const config = { agents: { patient: { command: script } } };
    writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
    const dataset = writeDataset([task('one'), task('two')]);
    const { client } = await startTestServer({ carrel, settings: { allowedRoots: [join(dataset, '..')] } });
    const { id } = await client.batches.start({ dataset, agent: 'patient' });
    await waitFor('the first attempt', () => existsSync(join(place, 'begun')) || undefined);
    await expect(client.batches.resume(id)).rejects.toMatchObject({ code: 'RUN_BUSY', status: 409 });
    expect(await client.batches.stop(id)).toMatchObject({ id, status: 'running' });
    expect(await client.batches.stop(id)).toMatchObject({ id, status: 'running' });
    writeFileSync(join(place, 'open'), '');
    await untilLeft(id);
    const stopped = await client.batches.show(id);
    expect(stopped).toMatchObject({ status: 'stopped', attempts: [{ taskId: 'one', outcome: 'passed' }] });
    expect(await client.batches.resume(id)).toMatchObject({ status: 'running', planned: 2, done: 1 });
    await untilLeft(id);
    expect(await client.batches.show(id)).toMatchObject({ status: 'finished', totals: { passed: 2 } });
    expect(await client.batches.stop(id)).toMatchObject({ status: 'finished' });
  },
);

test('a request can name only known agents and datasets under the roots', async () => {
  const repository = makeRepository();
  const { client } = await startTestServer({ repository });
  const outside = writeDataset([task('one')]);
  symlinkSync(outside, join(repository, 'link.yaml'));
  for (const dataset of [outside, join(repository, 'link.yaml'), 'gold', '/etc/passwd', '../set.yaml'])
    await expect(client.batches.start({ dataset, agent: 'nop' })).rejects.toMatchObject({
      code: 'UNKNOWN_DATASET',
      status: 404,
    });
  for (const agent of ['touch /tmp/x', './agent.mjs', 'agent.js', '/bin/true'])
    await expect(client.batches.start({ dataset: 'golden', agent })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      status: 422,
    });
  const wish = { dataset: 'golden', agent: 'nobody', taskIds: ['fix-typo-001'] };
  await expect(client.batches.start(wish)).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  await expect(client.batches.compare(['run_0123456789abcdef'])).rejects.toMatchObject({ status: 422 });
  expect(await client.batches.list()).toEqual([]);
});

test('reads no file outside of a run for an attempt, even if its record names one', async () => {
  const server = await startTestServer({ repository: makeRepository() });
  const secret = join(tempDir(), 'secret');
  writeFileSync(secret, 'secret');
  const led = sampleAttempt({ patchPath: '../../../../../../../../../etc/hostname', logPath: secret });
  const { id, directory } = writeRun(server, [led, sampleAttempt({ taskId: 'fix-import-001' })]);
  mkdirSync(join(directory, 'attempts/fix-import-001/1'), { recursive: true });
  symlinkSync(secret, join(directory, 'attempts/fix-import-001/1/patch.diff'));
  const missing = { code: 'ATTEMPT_NOT_FOUND', status: 404 };
  const { patch, log } = server.client.batches;
  await expect(patch(id, 'fix-typo-001', 1)).rejects.toMatchObject(missing);
  await expect(log(id, 'fix-typo-001', 1)).rejects.toMatchObject(missing);
  await expect(patch(id, 'fix-import-001', 1)).rejects.toMatchObject(missing);
  await expect(patch(id, '../../../..', 1)).rejects.toMatchObject(missing);
  await expect(log(id, 'fix-typo-001', 7)).rejects.toMatchObject(missing);
});

test('returns the end of a long log', async () => {
  const server = await startTestServer({ repository: makeRepository() });
  const attempt = sampleAttempt();
  const { id, directory } = writeRun(server, [attempt]);
  writeAttemptFiles(directory, attempt, '', `${'a line of text\n'.repeat(1_000_000)}the end\n`);
  const log = await server.client.batches.log(id, attempt.taskId, 1);
  expect(log.length).toBe(8 * 1024 ** 2);
  expect(log.endsWith('the end\n')).toBe(true);
});

/** A run with results from before. */
function writeRun({ carrel }: TestServer, attempts: readonly Attempt[]): { id: string; directory: string } {
  const { id, ...plan } = sampleRun({ attempts: [], taskIds: ['fix-typo-001', 'fix-import-001'] });
  const directory = join(carrel.stateDir, 'runs', id);
  writeFiles(join(carrel.stateDir, 'runs'), {
    [`${id}.json`]: JSON.stringify({ directory }),
    [`${id}/run.json`]: JSON.stringify({ id, ...plan }),
    [`${id}/index.jsonl`]: '',
  });
  for (const attempt of attempts) appendAttempt(directory, attempt);
  return { id, directory };
}

function appendAttempt(directory: string, attempt: Attempt): void {
  writeFileSync(join(directory, 'index.jsonl'), `${JSON.stringify(attempt)}\n`, { flag: 'a' });
}

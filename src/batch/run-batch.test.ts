import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { writeDataset } from '../../test/helpers/eval-bench.js';
import { commitFiles, makeRepository, writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { openApp } from '../app.js';
import { NO_USAGE } from '../domain/add-usage.js';
import type { Attempt } from '../domain/attempt.js';
import type { EvalItem } from '../domain/eval-item.js';
import { openBatches } from './batches.js';
import type { AgentRequest, EvalAgent } from './eval-agent.js';

const item: EvalItem = {
  id: 'good',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n' } },
  graders: [{ kind: 'command', run: 'test -e made.txt' }],
};

async function openEvaluation() {
  const { env, home } = createCarrel();
  const told: string[] = [];
  const context = await openApp({ environment: env, cwd: home, narrate: line => told.push(line) });
  onTestFinished(() => context.close());
  return { batches: openBatches(context, home), told };
}

const agentThat = (work: (request: AgentRequest) => Promise<unknown>): EvalAgent => ({
  name: 'test',
  fingerprint: 'test',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: async request => {
    await work(request);
    return { ending: 'done', exitCode: 0, usage: NO_USAGE, message: null, findings: [] };
  },
});

const maker = agentThat(({ environment }) => environment.writeFile('made.txt', Buffer.from('made\n')));

const outcomes = (attempts: readonly Attempt[]) =>
  Object.fromEntries(attempts.map(({ taskId, outcome }) => [taskId, outcome]));

test('a task whose base is missing does not keep the others from running', async () => {
  const { batches } = await openEvaluation();
  const gone: EvalItem = { ...item, id: 'gone', base: { kind: 'directory', directory: '/no/such/place' } };
  const { attempts } = await batches.run({ dataset: writeDataset([gone, item]), agent: maker });
  expect(outcomes(attempts)).toEqual({ gone: 'infrastructure', good: 'passed' });
  expect(attempts.find(({ taskId }) => taskId === 'gone')?.message).toMatch(/no\/such\/place/);
});

test('a system call that fails in one attempt ends that attempt alone', async () => {
  const { batches } = await openEvaluation();
  const stuffed = { ...item, id: 'stuffed', setup: [`: ${'x'.repeat(200 * 1024)}`] };
  const { attempts } = await batches.run({ dataset: writeDataset([stuffed, item]), agent: maker });
  expect(outcomes(attempts)).toEqual({ stuffed: 'infrastructure', good: 'passed' });
});

test('changes that are too large to judge are an outcome', async () => {
  const { batches } = await openEvaluation();
  const hoarder = agentThat(({ environment, item: { id } }) =>
    id === 'good'
      ? environment.writeFile('made.txt', Buffer.from('made\n'))
      : environment.run({ command: ['sh', '-c', 'head -c 70000000 /dev/zero | tr "\\0" a > core'] }),
  );
  const dataset = writeDataset([{ ...item, id: 'large' }, item]);
  const { attempts } = await batches.run({ dataset, agent: hoarder });
  expect(outcomes(attempts)).toEqual({ large: 'limit', good: 'passed' });
});

test('a result stays when judging it again comes to nothing', async () => {
  const { batches, told } = await openEvaluation();
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': 'a\n' });
  const flag = join(tempDir(), 'ready');
  writeFileSync(flag, '');
  const dataset = writeDataset([
    { ...item, id: 'flaky', setup: [`test -e ${flag}`] },
    { ...item, id: 'moved', base: { kind: 'directory', directory } },
    item,
  ]);
  const before = await batches.run({ dataset, agent: maker });
  expect(before.totals).toMatchObject({ passed: 3 });
  rmSync(flag);
  rmSync(directory, { recursive: true });
  const after = await batches.grade(before.id);
  expect(after.totals).toMatchObject({ passed: 3 });
  expect(told.filter(line => line.includes('stays as it was'))).toHaveLength(2);
});

test('an attempt is made again when the files of its base have changed', async () => {
  const { batches } = await openEvaluation();
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': 'a\n' });
  const dataset = writeDataset([{ ...item, base: { kind: 'directory', directory } }]);
  let tries = 0;
  const counter = agentThat(async () => void tries++);
  const { id } = await batches.run({ dataset, agent: counter });
  await batches.resume(id, { agent: counter });
  expect(tries).toBe(1);
  writeFiles(directory, { 'a.txt': 'b\n' });
  await batches.resume(id, { agent: counter });
  expect(tries).toBe(2);
});

test('a failure of the machine is not tried again when the batch is to come to its end, and its cost counts', async () => {
  const { batches } = await openEvaluation();
  const drain = new AbortController();
  let tries = 0;
  const usage = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };
  const unlucky = agentThat(({ onUsage }) => {
    tries++;
    onUsage(usage);
    drain.abort();
    return Promise.reject(Object.assign(new Error('no more files'), { errno: -24, code: 'EMFILE' }));
  });
  const dataset = writeDataset([item]);
  const { attempts } = await batches.run({ dataset, agent: unlucky }, { drain: drain.signal });
  expect(attempts).toMatchObject([{ outcome: 'infrastructure', usage, costUsd: 0.5, retries: 0 }]);
  expect(tries).toBe(1);
});

test('an attempt is made again when the branch of its base has moved, from where it is now', async () => {
  const { batches } = await openEvaluation();
  const repository = makeRepository({ 'a.txt': 'one' });
  const dataset = writeDataset([{ ...item, base: { kind: 'git', url: repository, commit: 'main' } }]);
  const seen: unknown[] = [];
  const reader = agentThat(async ({ environment }) => seen.push(`${await environment.readFile('a.txt', 9)}`));
  const { id } = await batches.run({ dataset, agent: reader });
  await batches.resume(id, { agent: reader });
  commitFiles(repository, { 'a.txt': 'two' });
  await batches.resume(id, { agent: reader });
  expect(seen).toEqual(['one', 'two']);
});

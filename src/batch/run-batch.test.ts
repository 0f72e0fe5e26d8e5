import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeDataset } from '../../test/helpers/batch/eval-bench.js';
import { createCarrel } from '../../test/helpers/carrel.js';
import { thoroughTest } from '../../test/helpers/flavours.js';
import { commitFiles, makeRepository, writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { openApp } from '../app.js';
import { NO_USAGE } from '../domain/agent/add-usage.js';
import type { Usage } from '../domain/agent/usage.js';
import type { Attempt } from '../domain/batch/attempt.js';
import type { EvalItem } from '../domain/batch/eval-item.js';
import { keptFilesDirectory } from '../operations/cleanup/expire-kept-files.js';
import type { AgentRequest, EvalAgent } from './eval-agent.js';
import { type Batches, openBatches } from './open-batches.js';

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
  return { batches: openBatches(context, home), told, kept: keptFilesDirectory(context.places) };
}

const agentThat = (
  work: (request: AgentRequest) => Promise<unknown>,
  usage: Usage = NO_USAGE,
): EvalAgent => ({
  name: 'test',
  fingerprint: 'test',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: async request => {
    await work(request);
    return { ending: 'done', exitCode: 0, usage, message: null, findings: [] };
  },
});

const maker = agentThat(({ environment }) => environment.writeFile('made.txt', Buffer.from('made\n')));

const outcomes = (attempts: readonly Attempt[]) =>
  Object.fromEntries(attempts.map(({ taskId, outcome }) => [taskId, outcome]));

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const usage: Usage = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };

test('a task with a missing base does not stop the others', async () => {
  const { batches } = await openEvaluation();
  const gone: EvalItem = { ...item, id: 'gone', base: { kind: 'directory', directory: '/no/such/place' } };
  const { attempts } = await batches.run({ dataset: writeDataset([gone, item]), agent: maker });
  expect(outcomes(attempts)).toEqual({ gone: 'infrastructure', good: 'passed' });
  expect(attempts.find(({ taskId }) => taskId === 'gone')?.message).toMatch(/no\/such\/place/);
});

thoroughTest('a failed system call stops only its own attempt', async () => {
  const { batches } = await openEvaluation();
  const stuffed = { ...item, id: 'stuffed', setup: [`: ${'x'.repeat(200 * 1024)}`] };
  const { attempts } = await batches.run({ dataset: writeDataset([stuffed, item]), agent: maker });
  expect(outcomes(attempts)).toEqual({ stuffed: 'infrastructure', good: 'passed' });
});

thoroughTest('changes that are too large to grade map to an outcome', async () => {
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

thoroughTest('a result stays when regrading it fails', async () => {
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
  expect(told.filter(line => line.includes('keeps its result'))).toHaveLength(2);
});

thoroughTest('an attempt runs again when the files of its base have changed', async () => {
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

test('an infrastructure failure is not retried when the batch is stopping, and its cost counts', async () => {
  const { batches } = await openEvaluation();
  const drain = new AbortController();
  let tries = 0;
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

thoroughTest('an attempt runs again from the new commit when the branch of its base has moved', async () => {
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

test('after an infrastructure failure during grading, only the grading is repeated, and the agent’s message stays', async () => {
  const { batches } = await openEvaluation();
  const calls = join(tempDir(), 'calls');
  // The first is before the agent, the second before the graders.
  const setup = [`echo >> ${calls}; test $(wc -l < ${calls}) -ne 2`];
  let tries = 0;
  const counter: EvalAgent = {
    ...maker,
    attempt: async request => {
      tries++;
      return { ...(await maker.attempt(request)), message: 'made it', usage };
    },
  };
  const run = await batches.run({ dataset: writeDataset([{ ...item, setup }]), agent: counter });
  const graded = { outcome: 'passed', retries: 1, awaitsGrading: false, message: 'made it', usage };
  expect(run.attempts).toMatchObject([graded]);
  expect(run.attempts[0]).not.toHaveProperty('agentMessage');
  expect(run).toMatchObject({ costUsd: 0.5, spentUsd: 0.5 });
  expect(tries).toBe(1);
});

thoroughTest("work is graded even when the agent's workspace cannot be returned", async () => {
  const { batches, kept } = await openEvaluation();
  let tries = 0;
  const breaker = agentThat(async request => {
    tries++;
    await maker.attempt(request);
    // The directory for kept files no longer exists.
    rmSync(kept, { recursive: true });
    writeFileSync(kept, '');
  }, usage);
  const run = await batches.run({ dataset: writeDataset([item]), agent: breaker, keepFailed: true });
  expect(run.attempts).toMatchObject([{ outcome: 'passed', retries: 1, usage }]);
  expect(tries).toBe(1);
});

/** A run with finished work whose grading failed; now it can succeed. */
async function leaveUngraded(batches: Batches, options: { keepFailed?: boolean; costLimitUsd?: number }) {
  const flag = join(tempDir(), 'ready');
  writeFileSync(flag, '');
  const drain = new AbortController();
  let tries = 0;
  const agent = agentThat(async request => {
    tries++;
    await maker.attempt(request);
    rmSync(flag);
    drain.abort();
  }, usage);
  const dataset = writeDataset([{ ...item, setup: [`test -e ${flag}`] }]);
  const before = await batches.run({ dataset, agent, ...options }, { drain: drain.signal });
  writeFileSync(flag, '');
  return { before, agent, tries: () => tries };
}

test.each(['resume', 'grade'] as const)(
  '`eval %s` grades work that could not be graded, without running the agent',
  async verb => {
    const { batches } = await openEvaluation();
    const { before, agent, tries } = await leaveUngraded(batches, { keepFailed: true });
    expect(before.attempts).toMatchObject([{ outcome: 'infrastructure', awaitsGrading: true }]);
    const after = await (verb === 'resume' ? batches.resume(before.id, { agent }) : batches.grade(before.id));
    expect(after.attempts).toMatchObject([{ outcome: 'passed', message: null, worktreePath: null }]);
    expect(after).toMatchObject({ costUsd: 0.5, spentUsd: 0.5 });
    expect(existsSync(before.attempts[0]?.worktreePath ?? '')).toBe(false);
    expect(tries()).toBe(1);
  },
);

test('work with a missing patch is not repeated when the cost limit is reached', async () => {
  const { batches } = await openEvaluation();
  const { before, agent, tries } = await leaveUngraded(batches, { costLimitUsd: 0.5 });
  rmSync(join(before.directory, 'attempts/good/1/patch.diff'));
  const run = await batches.resume(before.id, { agent });
  expect(run.attempts).toMatchObject([{ outcome: 'infrastructure', awaitsGrading: false }]);
  expect(run.spentUsd).toBe(0.5);
  expect(tries()).toBe(1);
});

thoroughTest('kept files of an attempt are removed when it runs again', async () => {
  const { batches, kept } = await openEvaluation();
  const calls = join(tempDir(), 'calls');
  const setup = [`echo >> ${calls}; test $(wc -l < ${calls}) -ne 1`];
  const run = await batches.run({
    dataset: writeDataset([{ ...item, setup }]),
    agent: maker,
    keepFailed: true,
  });
  expect(run.attempts).toMatchObject([{ outcome: 'passed', retries: 1, worktreePath: null }]);
  expect(readdirSync(kept)).toEqual([]);
});

thoroughTest('the message of a failed grader is removed when grading succeeds', async () => {
  const { batches } = await openEvaluation();
  const dataset = writeDataset([{ ...item, graders: [{ kind: 'command', run: 'exit 127' }] }]);
  const { id, attempts } = await batches.run({ dataset, agent: maker });
  expect(attempts).toMatchObject([{ outcome: 'grader-error', message: expect.any(String) }]);
  writeFileSync(dataset, readFileSync(writeDataset([item])));
  expect((await batches.grade(id)).attempts).toMatchObject([{ outcome: 'passed', message: null }]);
});

test('the cost of a repeated attempt counts as spent, and its record names its machine', async () => {
  const { batches } = await openEvaluation();
  const drain = new AbortController();
  const unlucky = agentThat(async ({ onUsage }) => {
    onUsage(usage);
    drain.abort();
    throw Object.assign(new Error('no more files'), { errno: -24, code: 'EMFILE' });
  });
  const dataset = writeDataset([item]);
  const first = { ...unlucky, version: '1' };
  const { id } = await batches.run({ dataset, agent: first }, { drain: drain.signal });
  const lucky = { ...agentThat(maker.attempt, usage), version: '2' };
  const run = await batches.resume(id, { agent: lucky });
  expect(run).toMatchObject({ costUsd: 0.5, spentUsd: 1, environment: { carrel: version, agent: '1' } });
  const machine = { carrel: version, node: process.version, kernel: release(), host: hostname() };
  const environment = { ...machine, isolation: 'none', runtime: expect.stringMatching(/^host/), agent: '2' };
  expect(run.attempts).toMatchObject([{ outcome: 'passed', environment }]);
});

test('a result stays when its base is no longer available', async () => {
  const { batches, told } = await openEvaluation();
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': 'a\n' });
  const dataset = writeDataset([{ ...item, base: { kind: 'directory', directory } }]);
  const { id } = await batches.run({ dataset, agent: maker });
  rmSync(directory, { recursive: true });
  const { attempts } = await batches.resume(id, { agent: maker });
  expect(outcomes(attempts)).toEqual({ good: 'passed' });
  expect(told.filter(line => line.includes('keeps its result'))).toHaveLength(1);
});

test('planning that waits for a server stops when aborted', async () => {
  const { batches } = await openEvaluation();
  const drain = new AbortController();
  const server = createServer(() => drain.abort(new Error('asked to')));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}/repository`;
  const dataset = writeDataset([{ ...item, base: { kind: 'git', url, commit: 'main' } }]);
  const planning = batches.run({ dataset, agent: maker }, { drain: drain.signal });
  await expect(planning).rejects.toThrow('asked to');
  expect(await batches.list()).toEqual([]);
});

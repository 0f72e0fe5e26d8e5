import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { createCarrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import { needProgram } from '../../parts/required-part.js';

const QUICK = ['--dataset', 'golden', '--task-ids', 'fix-typo-001,fix-import-001,fix-type-error-001'];

/** A dataset of small tasks: each expects a file `done.txt`. */
function makeDataset(count: number): string {
  const directory = tempDir();
  const items = Array.from({ length: count }, (_, index) => ({
    id: `task-${index + 1}`,
    description: 'Write "yes" to done.txt',
    base: { kind: 'files', files: { 'README.md': 'hello\n' } },
    solution: { kind: 'files', files: { 'done.txt': 'yes\n' } },
    graders: [{ kind: 'command', run: 'test "$(cat done.txt)" = yes' }],
  }));
  writeFiles(directory, { 'set.yaml': stringify({ name: 'small', items }) });
  return join(directory, 'set.yaml');
}

thoroughTest('oracle solves the three demo tasks in parallel, and nop solves none', () => {
  const carrel = createTidyCarrel();
  const here = tempDir();
  const run = (agent: string) =>
    carrel.json<BatchRun>(here, 'eval', 'run', ...QUICK, '--parallelism', '3', '--agent', agent);
  const solved = run('oracle');
  expect(solved).toMatchObject({
    status: 'finished',
    isolation: 'worktree',
    passRate: 1,
    totals: { passed: 3 },
  });
  expect(existsSync(join(solved.directory, 'report.html'))).toBe(true);
  const patch = readFileSync(join(solved.directory, solved.attempts[0]?.patchPath ?? ''), 'utf8');
  expect(patch).toContain('diff --git');
  expect(run('nop')).toMatchObject({ totals: { passed: 0, failed: 3, errors: 0 }, passRate: 0 });
});

test('the script for golden runs three tasks in parallel worktrees, and passes further options on', () => {
  needProgram('bash');
  const bin = tempDir();
  writeFiles(bin, { npm: '#!/bin/sh\necho "$@"\n' });
  chmodSync(join(bin, 'npm'), 0o755);
  const call = (...args: string[]) =>
    execFileSync(resolve('scripts', 'eval-golden.sh'), args, {
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      encoding: 'utf8',
    });
  const start = 'run --silent eval -- run --dataset golden --parallelism 3 --isolation worktree';
  expect(call('--quick')).toBe(`${start} ${QUICK.slice(2).join(' ')} --agent oracle\n`);
  expect(call('--agent', 'claude', '--attempts', '2')).toBe(`${start} --agent claude --attempts 2\n`);
});

test('without options one attempt runs at a time, in a plain copy', () => {
  const words = ['--dataset', makeDataset(1), '--agent', 'oracle'];
  expect(createTidyCarrel().json(tempDir(), 'eval', 'run', ...words)).toMatchObject({
    parallelism: 1,
    isolation: 'none',
    totals: { passed: 1 },
  });
});

thoroughTest('a gate that is not met exits with 1, and one that is met with 0', () => {
  const carrel = createTidyCarrel();
  const dataset = makeDataset(2);
  const args = [
    'eval',
    'run',
    '--dataset',
    dataset,
    '--agent',
    'test "$CARREL_TASK_ID" = task-1 && echo yes > done.txt || true',
  ];
  const here = tempDir();
  expect(carrel.run(here, ...args, '--gate', '0.5').status).toBe(0);
  const missed = carrel.run(here, ...args, '--gate', '80%');
  expect(missed.status).toBe(1);
  expect(missed.stderr).toContain('the pass rate is 0.500; expected at least 0.8');
});

test.each([
  [['--dataset', 'gold'], 5, 'did you mean --dataset golden?'],
  [['--dataset', 'golden', '--task-ids', 'fix-typo-01'], 5, 'fix-typo-001'],
  [['--dataset', 'golden', '--agent', 'oracel'], 2, 'oracle'],
  [['--dataset', 'golden', '--parallelism', '-1'], 2, 'a whole number above 0'],
  [['--dataset', 'golden', '--gate', '2'], 2, 'a number from 0 to 1'],
  [['--task-ids', 'a'], 2, '--dataset'],
])('eval run %j says what is wrong', (args, status, words) => {
  const { status: code, stderr } = createTidyCarrel().run(tempDir(), 'eval', 'run', ...args);
  expect({ code, says: stderr.includes(words) }).toEqual({ code: status, says: true });
});

test('after kill -9 a resumed run has every attempt exactly once', async () => {
  const carrel = createTidyCarrel();
  const here = tempDir();
  const tally = join(here, 'tally');
  const agent = `echo "$CARREL_TASK_ID" >> ${tally}; sleep 0.2; echo yes > done.txt`;
  const running = carrel.start(
    ...[here, 'eval', 'run', '--dataset', makeDataset(8), '--agent', agent, '--parallelism', '2'],
  );
  await waitFor('the third attempt', () =>
    existsSync(tally) ? readFileSync(tally, 'utf8').split('\n')[3] : undefined,
  );
  running.child.kill('SIGKILL');
  await running;
  expect(carrel.json<BatchRun>(here, 'eval', 'show', 'latest').status).toBe('interrupted');
  const resumed = carrel.json<BatchRun>(here, 'eval', 'resume', 'latest');
  expect(resumed).toMatchObject({ status: 'finished', totals: { passed: 8, failed: 0, errors: 0 } });
  const lines = readFileSync(join(resumed.directory, 'index.jsonl'), 'utf8').trim().split('\n');
  expect(lines).toHaveLength(8);
  expect(new Set(resumed.attempts.map(({ taskId }) => taskId)).size).toBe(8);
});

thoroughTest(
  'Ctrl-C lets running attempts finish and starts no new ones; a second one kills them',
  async () => {
    const carrel = createTidyCarrel();
    const here = tempDir();
    const tally = join(here, 'tally');
    const go = join(here, 'go');
    const agent = `echo x >> ${tally}; while test ! -f ${go}; do sleep 0.05; done; echo yes > done.txt`;
    const dataset = makeDataset(3);
    const running = carrel.start(here, 'eval', 'run', '--dataset', dataset, '--agent', agent, '--json');
    await waitFor('the agent', () => (existsSync(tally) ? true : undefined));
    running.child.kill('SIGINT');
    writeFiles(here, { go: '' });
    const drained = await running;
    expect(drained.status).toBe(130);
    expect(JSON.parse(drained.stdout)).toMatchObject({
      status: 'stopped',
      totals: { passed: 1, cancelled: 0 },
    });
    expect(carrel.json<BatchRun>(here, 'eval', 'resume', 'latest')).toMatchObject({ totals: { passed: 3 } });
    const slow = carrel.start(
      here,
      'eval',
      'run',
      '--dataset',
      dataset,
      '--agent',
      `echo y >> ${tally}; sleep 1000`,
      '--json',
    );
    await waitFor('the slow agent', () => (readFileSync(tally, 'utf8').includes('y') ? true : undefined));
    const heard = once(slow.child.stderr as Readable, 'data');
    slow.child.kill('SIGINT');
    await heard;
    slow.child.kill('SIGINT');
    const stopped = await slow;
    expect(stopped.status).toBe(130);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ totals: { passed: 0, cancelled: 1 } });
  },
);

test('a cost limit stops running attempts and starts no new ones', () => {
  const carrel = createTidyCarrel();
  const home = carrel.home;
  const say = JSON.stringify({ usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0.6 } });
  writeFiles(home, {
    'config/carrel/config.yaml': stringify({
      agents: { dear: { command: `echo '${say}'; echo yes > done.txt`, result: 'json' } },
    }),
  });
  const run = carrel.json<BatchRun>(
    ...[tempDir(), 'eval', 'run', '--dataset', makeDataset(5), '--agent', 'dear', '--cost-limit', '1'],
  );
  expect(run.attempts).toHaveLength(2);
  expect(run).toMatchObject({ status: 'stopped', costUsd: 1.2 });
});

thoroughTest('attempts in a sandbox are graded the same', context => {
  requireBubblewrap(context);
  const carrel = createTidyCarrel();
  const run = carrel.json<BatchRun>(
    ...[tempDir(), 'eval', 'run', ...QUICK, '--isolation', 'full', '--agent', 'oracle', '--parallelism', '2'],
  );
  expect(run).toMatchObject({ isolation: 'full', totals: { passed: 3, failed: 0, errors: 0 } });
});

thoroughTest('runs are listed, compared, regraded and exported', () => {
  const carrel = createTidyCarrel();
  const here = tempDir();
  const dataset = makeDataset(2);
  const ids = ['oracle', 'nop'].map(
    agent => carrel.json<BatchRun>(here, 'eval', 'run', '--dataset', dataset, '--agent', agent).id,
  );
  expect(carrel.json<BatchRun[]>(here, 'eval', 'ls').map(({ id }) => id)).toEqual(ids.toReversed());
  expect(carrel.json(here, 'eval', 'compare', ...ids)).toMatchObject({
    pairs: [{ onlyBaseline: 2, onlyOther: 0 }],
  });
  expect(carrel.json(here, 'eval', 'grade', ids[0] as string)).toMatchObject({ totals: { passed: 2 } });
  const junit = carrel.ok(here, 'eval', 'export', ids[1] as string, '--format', 'junit');
  expect(junit).toContain('<failure');
});

test('a sandbox that no attempt could have is refused before the batch begins, with every reason', () => {
  const carrel = createCarrel(tempDir(), { PATH: pathWithout('bwrap', 'podman', 'docker') });
  const run = ['eval', 'run', '--dataset', 'golden', '--agent', 'oracle', '--sample', '1'];
  const docker = carrel.error(tempDir(), ...run, '--isolation', 'docker');
  expect(docker).toMatchObject({ code: 'ISOLATION_UNAVAILABLE', status: 4 });
  expect(docker.message).toMatch(/isolation docker is not available: podman .*; docker /);
  const full = carrel.error(tempDir(), ...run, '--isolation', 'full');
  expect(full.message).toMatch(/isolation full is not available: bwrap .*; podman .*; docker /);
  expect(carrel.json(tempDir(), 'eval', 'ls')).toEqual([]);
});

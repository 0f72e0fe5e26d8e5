import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import type { Job } from '../../../domain/fleet/job.js';
import { admitAgent, admitAgentVersion, admitJob } from './admit-job.js';
import { openClaimMemory } from './claim-memory.js';
import { signJob } from './sign-job.js';
import { formatFingerprint, loadSubmitterKey, parsePublicKey } from './submitter-key.js';
import type { WorkerTerms } from './worker-terms.js';

const NOW = Date.parse('2026-05-01T00:00:00Z');

const placesOf = (stateDir: string) => ({
  places: { stateDir, cacheDir: stateDir, userConfigFile: '', temporaryRoot: stateDir },
});

const job: Omit<Job, 'submitter'> = {
  run: 'run_0123456789abcdef',
  task: 'fix-typo-001',
  attempt: 1,
  identity: 'a'.repeat(65),
  item: 'b'.repeat(64),
  agent: 'c'.repeat(64),
  base: { commit: 'd'.repeat(40), bundle: 'e'.repeat(64) },
  isolation: 'worktree',
  timeoutMs: null,
  capUsd: 1.5,
  deadline: '2026-05-02T00:00:00Z',
  labels: [],
  versions: { carrel: '0.1.0', agent: null },
  nonce: '0'.repeat(32),
};

const KEY = { run: job.run, task: job.task, attempt: job.attempt };

async function openWorker(changes: Partial<WorkerTerms> = {}, now = NOW) {
  const key = await loadSubmitterKey(placesOf(tempDir()));
  const terms: WorkerTerms = {
    ...{ keys: [key.publicKey], allow: 'worktree', labels: ['gpu'], carrel: '0.1.7' },
    ...{ isRoot: false, allowRoot: false, ...changes },
  };
  const clock = () => now;
  const memory = openClaimMemory({ ...placesOf(tempDir()), now: clock });
  const admit = (value: unknown, claim = { id: 'row1', number: 1 }, key = KEY) =>
    admitJob(value, terms, { now: clock, memory, claim: { ...claim, job: { key } } });
  return { key, terms, admit };
}

test('a job that a listed key has signed is admitted, and is small', async () => {
  const { key, admit } = await openWorker();
  const signed = signJob(job, key);
  expect(JSON.stringify(signed).length).toBeLessThan(2048);
  expect(await admit(JSON.parse(JSON.stringify(signed)))).toEqual({ ...job, submitter: key.publicKey });
});

test('every changed field, and a signature by another key, is refused', async () => {
  const { key, admit } = await openWorker();
  const stranger = await loadSubmitterKey(placesOf(tempDir()));
  const signed = signJob(job, key);
  const changes: Partial<Job>[] = [
    { item: 'f'.repeat(64) },
    { agent: 'f'.repeat(64) },
    { base: { ...job.base, bundle: 'f'.repeat(64) } },
    { isolation: 'full' },
    { timeoutMs: 1 },
    { capUsd: null },
    { deadline: '2027-05-02T00:00:00Z' },
    { labels: ['gpu'] },
    { nonce: '1'.repeat(32) },
  ];
  for (const change of changes)
    await expect(admit({ ...signed, ...change })).rejects.toMatchObject({ code: 'JOB_ALTERED' });
  const foreign = signJob(job, stranger);
  await expect(admit(foreign)).rejects.toMatchObject({ code: 'JOB_NOT_TRUSTED' });
  const claimed = { ...foreign, submitter: key.publicKey };
  await expect(admit(claimed)).rejects.toMatchObject({ code: 'JOB_ALTERED' });
});

test('a signed job in the row of another one is refused', async () => {
  const { key, admit } = await openWorker();
  const signed = signJob(job, key);
  for (const changed of [{ task: 'other' }, { attempt: 2 }, { run: 'run_0000000000000000' }])
    await expect(admit(signed, undefined, { ...KEY, ...changed })).rejects.toMatchObject({
      code: 'JOB_INVALID',
    });
  const moved = { ...signed, task: 'other' };
  await expect(admit(moved, undefined, { ...KEY, task: 'other' })).rejects.toMatchObject({
    code: 'JOB_ALTERED',
  });
});

test('a job without a signature, with unknown fields or with strange ids is refused', async () => {
  const { key, admit } = await openWorker();
  const { signature, ...unsigned } = signJob(job, key);
  const values = [
    ...[null, {}, unsigned, { ...unsigned, signature: '' }],
    ...[
      { ...unsigned, signature, more: 1 },
      { ...unsigned, signature, task: '../x' },
    ],
    { ...unsigned, signature, labels: Array.from({ length: 500 }, () => 'a') },
  ];
  for (const value of values) await expect(admit(value)).rejects.toMatchObject({ code: 'JOB_INVALID' });
});

test('a job runs again only as a later claim on the same row', async () => {
  const { key, admit } = await openWorker();
  const signed = signJob(job, key);
  await admit(signed);
  const replayed = { code: 'JOB_REPLAYED' };
  await expect(admit(signed)).rejects.toMatchObject(replayed);
  await expect(admit(signed, { id: 'row2', number: 5 })).rejects.toMatchObject(replayed);
  await admit(signed, { id: 'row1', number: 3 });
  await expect(admit(signed, { id: 'row1', number: 2 })).rejects.toMatchObject(replayed);
});

test('two claims with one number begin a job once', async () => {
  const { key, admit } = await openWorker();
  const signed = signJob(job, key);
  const ends = await Promise.allSettled([admit(signed), admit(signed), admit(signed)]);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('an expired job is refused', async () => {
  const { key, admit } = await openWorker({}, Date.parse(job.deadline));
  await expect(admit(signJob(job, key))).rejects.toMatchObject({ code: 'JOB_EXPIRED' });
});

test('isolation is never weaker than the worker allows', async () => {
  const outcomes = [];
  for (const allow of ['none', 'worktree', 'full', 'docker'] as const)
    for (const isolation of ['none', 'worktree', 'full', 'docker'] as const) {
      const { key, admit } = await openWorker({ allow });
      const ending = await admit(signJob({ ...job, isolation }, key)).then(
        () => 'runs',
        error => error.code,
      );
      outcomes.push(`${isolation} where ${allow} is allowed: ${ending}`);
    }
  expect(outcomes.filter(line => line.endsWith('JOB_ISOLATION_REFUSED'))).toEqual([
    'none where worktree is allowed: JOB_ISOLATION_REFUSED',
    'none where full is allowed: JOB_ISOLATION_REFUSED',
    'worktree where full is allowed: JOB_ISOLATION_REFUSED',
    'none where docker is allowed: JOB_ISOLATION_REFUSED',
    'worktree where docker is allowed: JOB_ISOLATION_REFUSED',
  ]);
  expect(outcomes.filter(line => line.endsWith('runs'))).toHaveLength(11);
});

test('root, another version and missing labels are refused', async () => {
  const root = await openWorker({ isRoot: true });
  await expect(root.admit(signJob(job, root.key))).rejects.toMatchObject({ code: 'JOB_ROOT_REFUSED' });
  const allowed = await openWorker({ isRoot: true, allowRoot: true });
  await allowed.admit(signJob(job, allowed.key));
  const newer = await openWorker({ carrel: '0.2.0' });
  await expect(newer.admit(signJob(job, newer.key))).rejects.toMatchObject({
    code: 'JOB_VERSION_REFUSED',
    message: 'attempt 1 at fix-typo-001 of run_0123456789abcdef needs Carrel 0.1.0; this worker has 0.2.0',
  });
  const labelled = signJob({ ...job, labels: ['gpu', 'zone=eu'] }, newer.key);
  const old = await openWorker({ keys: [newer.key.publicKey] });
  await expect(old.admit(labelled)).rejects.toMatchObject({
    code: 'JOB_LABELS_MISSING',
    details: { missing: ['zone=eu'] },
  });
});

test('a worker names the keys and programs that it lacks', () => {
  const full = { ...job, submitter: `ed25519:${'A'.repeat(43)}` };
  const needs = { programs: ['no-such-program'], hosts: [], keys: ['ONE_KEY', 'OTHER_KEY'] };
  const admit = (environment: Record<string, string>) => () => admitAgent({ environment }, full, { needs });
  expect(admit({ ONE_KEY: 'x' })).toThrow(
    expect.objectContaining({ code: 'JOB_KEYS_MISSING', message: expect.stringContaining('OTHER_KEY') }),
  );
  expect(admit({ ONE_KEY: 'x', OTHER_KEY: 'y', PATH: '/bin' })).toThrow(
    expect.objectContaining({ code: 'JOB_PROGRAMS_MISSING' }),
  );
  const older = { ...full, versions: { carrel: '0.1.0', agent: '1.0' } };
  expect(() => admitAgentVersion(older, { version: '1.1' })).toThrow(
    expect.objectContaining({ code: 'JOB_VERSION_REFUSED' }),
  );
  admitAgentVersion(older, { version: '1.0' });
  admitAgentVersion(older, { version: null });
});

test('a key is made once, for its owner only, and one that others can read is refused', async () => {
  const stateDir = tempDir();
  const keys = await Promise.all([1, 2, 3].map(() => loadSubmitterKey(placesOf(stateDir))));
  expect(new Set(keys.map(({ publicKey }) => publicKey)).size).toBe(1);
  const file = join(stateDir, 'fleet/key.pem');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(keys[0]?.publicKey).toMatch(/^ed25519:[\w-]{43}$/);
  expect(formatFingerprint(keys[0]?.publicKey ?? '')).toMatch(/^([0-9a-f]{4}-){3}[0-9a-f]{4}$/);
  chmodSync(file, 0o640);
  await expect(loadSubmitterKey(placesOf(stateDir))).rejects.toMatchObject({ code: 'FLEET_KEY_INVALID' });
  expect(() => parsePublicKey('ed25519:short')).toThrow(
    expect.objectContaining({ code: 'FLEET_KEY_INVALID' }),
  );
});

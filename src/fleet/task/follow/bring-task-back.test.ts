import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSharedStore } from '../../../../test/helpers/fleet/travel-bench.js';
import { commitFiles, git } from '../../../../test/helpers/repository.js';
import { makeTaskSite } from '../../../../test/helpers/task/task-site.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import type { TaskResult } from '../../../domain/fleet/task-result.js';
import { uploadBytes, uploadFile } from '../../artifacts/upload-blob.js';
import { bringTaskBack } from './bring-task-back.js';

const RUN = 'run_0000000000000001';
const AT = '2026-05-01T00:00:00.000Z';

/** A submitted task, and a worker that may send what it likes. */
async function makeWorker() {
  const { app, repository, insert, find } = await makeTaskSite();
  const store = await openSharedStore();
  const base = git(repository, 'rev-parse', 'HEAD');
  const task = await insert({ base, fleet: { name: 'lab', run: RUN, host: null } });
  const { id } = task;
  const plan = { ...task.plan, branch: 'carrel/a', fleet: { address: 'lab', labels: [] } };
  await app.store.tasks.update(id, { statuses: ['waiting'] }, { plan }, []);
  const usual: TaskResult = {
    ...{ claim: 'row.1', task: id, status: 'succeeded', startedAt: AT, endedAt: AT },
    isolation: { requested: 'full', effective: 'full', reason: null },
    ...{ stages: task.stages, validation: [], usage: task.usage, warnings: [], branches: [] },
    ...{ bundle: null, log: null, outputs: [], events: [] },
  };
  /** A bundle of another machine with commits on these branches. */
  const bundle = async (...branches: string[]): Promise<Pick<TaskResult, 'branches' | 'bundle'>> => {
    const copy = join(tempDir(), 'copy');
    git(repository, 'clone', '-q', repository, copy);
    commitFiles(copy, { 'evil.txt': 'evil\n' }, 'evil');
    for (const branch of branches) git(copy, 'update-ref', `refs/heads/${branch}`, 'HEAD');
    const file = join(tempDir(), 'work.bundle');
    git(copy, 'bundle', 'create', '-q', file, ...branches.map(name => `refs/heads/${name}`), `^${base}`);
    const commit = git(copy, 'rev-parse', 'HEAD');
    const hash = await uploadFile(store, file);
    return {
      bundle: { hash, size: 1_000_000 },
      branches: branches.map(branch => ({ branch, commit })),
    };
  };
  // As two processes have it that look at the same time.
  const seen = await find(id);
  const send = async (change: object) => {
    const manifest = await uploadBytes(store, Buffer.from(canonicalJson({ ...usual, ...change })));
    const record = JSON.stringify({ claim: 'row.1', task: id, manifest });
    return bringTaskBack(app, store, seen, {
      ...{ key: { run: RUN, task: id, attempt: 1 }, sequence: 1, claim: 1, host: 'host_1', record },
      ...{ gaveUp: null, costUsd: 0, recordedAt: Date.parse(AT) },
    });
  };
  return { app, repository, base, id, bundle, send };
}

test('a result is recorded once, with its branch and the events of its stages', async () => {
  const { app, repository, id, bundle, send } = await makeWorker();
  const work = await bundle('carrel/a');
  const events = [
    { type: 'stage.succeeded', data: { stage: 'develop' } },
    { type: 'trust.granted', data: {} },
  ];
  const first = await send({ ...work, events });
  const second = await send({ ...work, events });
  expect(second.task).toEqual(first.task);
  expect(first.task).toMatchObject({
    ...{ status: 'succeeded', branch: 'carrel/a', runs: [{ outcome: 'succeeded' }] },
    fleet: { host: 'host_1' },
  });
  expect(git(repository, 'show', 'carrel/a:evil.txt')).toBe('evil');
  const kinds = (await app.store.events.list({ taskId: id, limit: 100 })).map(({ type }) => type);
  expect(kinds).toEqual(['task.started', 'stage.succeeded', 'task.succeeded']);
});

test('a worker cannot choose a branch of the user', async () => {
  const { repository, base, bundle, send } = await makeWorker();
  const { task } = await send(await bundle('main', 'other'));
  expect(git(repository, 'rev-parse', 'main')).toBe(base);
  expect(git(repository, 'branch', '--format=%(refname:short)')).toBe('main');
  expect(task.warnings).toHaveLength(2);
  expect(task.head).toBe(base);
});

test.for([
  ['of another task', { task: 'task_000000000000zzzz' }],
  ['of another claim', { claim: 'row.2' }],
  ['with a file outside', { outputs: [{ stage: 'develop', path: '../x', size: 1, hash: 'a'.repeat(64) }] }],
  ['with an unknown field', { owner: 'me' }],
  ['whose log is gone', { log: { hash: 'a'.repeat(64), size: 1 } }],
] as const)('a result %s is a failure of the task, and nothing is written', async ([, change]) => {
  const { app, repository, id, send } = await makeWorker();
  const { task } = await send(change);
  expect(task).toMatchObject({ status: 'failed', failure: { kind: 'workspace-lost' } });
  expect(git(repository, 'branch', '--format=%(refname:short)')).toBe('main');
  expect(existsSync(join(app.places.stateDir, 'tasks', id, 'outputs'))).toBe(false);
});

import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { requireOverlay, unmountBelow } from '../../../test/helpers/pool/overlay.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { type App, openApp } from '../../app.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import { mountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { writePrivateGit } from '../../git/repository/private-git.js';
import { collectGarbage } from '../cleanup/gc.js';
import { restoreSnapshot } from '../snapshot/restore.js';
import { listSnapshots } from '../snapshot/snapshot.js';
import { removeNow } from './remove-remains.js';

interface Site {
  readonly app: App;
  readonly repository: string;
  /** All narration. */
  readonly messages: string[];
  /** Files of a lease with work in it, recorded as the remains of a dead process. */
  readonly leave: (change?: Partial<Remains>) => Promise<Remains>;
}

async function makeSite(): Promise<Site> {
  const repository = makeRepository({ 'one.txt': 'one\n' });
  const messages: string[] = [];
  const app = await openApp({
    environment: createCarrel().env,
    cwd: repository,
    narrate: line => messages.push(line),
  });
  onTestFinished(() => app.close());
  const { id: repositoryId, commonDir } = await app.backends.git.locate(repository);
  const commit = git(repository, 'rev-parse', 'HEAD');
  const root = tempDir();
  let count = 0;
  const leave: Site['leave'] = async change => {
    const id = `snap_${++count}`;
    const directory = join(root, 'worktrees', '.trash', id);
    const place = { gitDir: join(directory, 'git'), workTree: join(directory, 'tree') };
    await writePrivateGit({ ...place, commonDir: join(repository, '.git'), commit });
    git(place.workTree, 'checkout', '--quiet', '--force', '--detach', commit);
    writeFiles(place.workTree, { 'work.txt': `work ${id}\n` });
    const remains: Remains = {
      ...{ id, directory, repositoryId, repository, commonDir, holds: 'work', isPartial: false, lower: null },
      ...{ workspaceId: `slot_${count}`, workspaceName: `slot_${count}`, branch: null, reason: 'pool' },
      base: { ref: null, commit },
      createdAt: new Date().toISOString(),
      owner: { ...app.self, startedAt: 'before' },
      ...change,
    };
    await app.store.remains.insert(remains);
    return remains;
  };
  return { app, repository, messages, leave };
}

const collect = (app: App, repository: string) =>
  collectGarbage(app, { repository, execute: true, olderThanMs: 0 });

test('remains on a disk that is not mounted are kept until it is', async () => {
  const { app, repository, messages: told, leave } = await makeSite();
  const { id, directory } = await leave();
  const root = dirname(dirname(directory));
  renameSync(root, `${root}-elsewhere`);
  await collect(app, repository);
  expect(await app.store.remains.list()).toMatchObject([{ id, holds: 'work' }]);
  expect(told.join('\n')).toContain(directory);
  renameSync(`${root}-elsewhere`, root);
  await collect(app, repository);
  expect(await app.store.remains.list()).toEqual([]);
  const snapshot = await app.store.snapshots.find(id);
  expect(git(repository, 'show', `${snapshot?.commit}:work.txt`)).toBe(`work ${id}`);
});

test('recorded remains without files are forgotten', async () => {
  const { app, repository, leave } = await makeSite();
  const { directory } = await leave();
  rmSync(dirname(directory), { recursive: true });
  mkdirSync(join(dirname(dirname(directory)), 'some-workspace'));
  await collect(app, repository);
  expect(await app.store.remains.list()).toEqual([]);
});

test.each(['upper', 'aside'])('with %s/ and no layers known, nothing is deleted', async name => {
  const { app, repository, leave } = await makeSite();
  const { id, directory } = await leave();
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'work.txt'), 'work\n');
  await collect(app, repository);
  expect(existsSync(join(directory, name, 'work.txt'))).toBe(true);
  expect(await app.store.remains.list()).toMatchObject([{ id, failure: expect.stringContaining(directory) }]);
});

thoroughTest('remains that cannot be captured are reported, and only requests for them fail', async () => {
  const { app, repository, messages: told, leave } = await makeSite();
  const broken = await leave();
  rmSync(join(broken.directory, 'git'), { recursive: true });
  const sound = await leave();
  const listed = await listSnapshots(app, { repository });
  expect(listed.map(({ id }) => id)).toEqual([sound.id]);
  expect(told.filter(line => line.includes(broken.directory))).toHaveLength(1);
  expect((await restoreSnapshot(app, { repository, snapshot: sound.id, as: 'a' })).name).toBe('a');
  await expect(restoreSnapshot(app, { repository, snapshot: broken.id, as: 'b' })).rejects.toThrow();
  await collect(app, repository);
  expect(existsSync(join(broken.directory, 'tree', 'work.txt'))).toBe(true);
});

test('what a live owner failed at is retried by gc and by a restore', async () => {
  const { app, repository, leave } = await makeSite();
  const [first, second] = [await leave({ owner: app.self }), await leave({ owner: app.self })];
  for (const each of [first, second]) await app.store.remains.update(each, { failure: 'no space' });
  const { path } = await restoreSnapshot(app, { repository, snapshot: first.id, as: 'a' });
  expect(existsSync(join(path, 'work.txt'))).toBe(true);
  await collect(app, repository);
  expect((await app.store.snapshots.find(second.id))?.commit).toEqual(expect.any(String));
});

test('waiting for a live process that never captures its remains times out', async () => {
  const { app, repository, messages: told, leave } = await makeSite();
  const { id } = await leave({ owner: app.self });
  let now = Date.now();
  const hasty = { ...app, now: () => (now += 5000) };
  expect(await listSnapshots(hasty, { repository })).toEqual([]);
  expect(told.join('\n')).toContain('still being captured');
  await expect(restoreSnapshot(hasty, { repository, snapshot: id, as: 'a' })).rejects.toMatchObject({
    code: 'WORKSPACE_BUSY',
  });
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(listSnapshots(app, { repository, signal })).rejects.toThrow('enough');
});

test('a process that lost its remains to another deletes nothing', async () => {
  const { app, leave } = await makeSite();
  const mine = await leave({ owner: app.self });
  const other = { ...app.self, startedAt: 'other' };
  expect(await app.store.remains.adopt(mine, other)).toBeDefined();
  await removeNow(app, mine);
  expect(existsSync(join(mine.directory, 'tree', 'work.txt'))).toBe(true);
  expect(await app.store.remains.find(mine.id)).toEqual({ ...mine, owner: other });
});

test('gc reports a damaged record and continues', async () => {
  const { app, repository, messages: told, leave } = await makeSite();
  await leave({ directory: 5 as never, id: 'snap_damaged' });
  const { id } = await leave();
  await collect(app, repository);
  expect((await app.store.snapshots.find(id))?.commit).toEqual(expect.any(String));
  expect(told.join('\n')).toContain('snap_damaged');
});

test('an overlay that a killed process mounted too late is unmounted with the files below it', async context => {
  await requireOverlay(context);
  const { app, messages: told, leave } = await makeSite();
  const remains = await leave({ holds: 'rubbish', owner: app.self });
  const { directory } = remains;
  onTestFinished(() => unmountBelow(directory));
  const [lower, upper, work] = ['lower', 'upper', 'work'].map(name => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [lower, upper, work]) mkdirSync(path);
  await mountOverlay({ lower, upper, work, target: join(directory, 'tree'), volatile: true });
  expect(await removeNow(app, remains)).toEqual([]);
  expect([existsSync(directory), await app.store.remains.list(), told]).toEqual([false, [], []]);
});

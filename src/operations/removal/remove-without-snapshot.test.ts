import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { usePrograms } from '../../../test/helpers/machine/programs.js';
import { makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { makeWorkspaceSite } from '../../../test/helpers/workspace/workspace-site.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { openApp } from '../../app.js';
import { recover } from '../recovery/recover.js';
import { removeWithoutSnapshot } from './remove-without-snapshot.js';

const start = usePrograms({
  modules: {
    app: 'src/app.ts',
    up: 'src/operations/workspace/up.ts',
    discard: 'src/operations/removal/remove-without-snapshot.ts',
  },
  imports: `
    import { openApp } from './app.js';
    import { up } from './up.js';
    import { removeWithoutSnapshot } from './discard.js';
    import { writeFileSync } from 'node:fs';`,
});

test('the workspace is removed with its sandbox, and no snapshot is taken', async context => {
  requireBubblewrap(context);
  const { app, record } = await makeWorkspaceSite('full');
  const { root } = (await app.sandboxes()).placeOf(record.id);
  writeFileSync(join(record.path, 'work.txt'), 'work\n');
  expect(existsSync(root)).toBe(true);
  await removeWithoutSnapshot(app, record, dirname(record.repository));
  expect([record.path, root].filter(existsSync)).toEqual([]);
  const { store } = app;
  const left = [store.workspaces.list(), store.snapshots.list(), store.remains.list(), store.journal.list()];
  expect((await Promise.all(left)).flat()).toEqual([]);
});

test('a workspace of any other repository is refused, and is not touched', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  const file = join(record.path, 'work.txt');
  writeFileSync(file, 'work\n');
  for (const own of [tempDir(), record.repository])
    await expect(removeWithoutSnapshot(app, record, own)).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(readFileSync(file, 'utf8')).toBe('work\n');
  expect(await app.store.workspaces.find(record.id)).toMatchObject({ status: 'ready' });
});

const DISCARD_AND_DIE = `
  const [environment, repository, own, moment] = args;
  const onStep = (kind, step) => kind + ':' + step === moment && process.kill(process.pid, 'SIGKILL');
  const app = await openApp({ environment: JSON.parse(environment), cwd: repository, onStep });
  const { id, path } = await up(app, { repository, name: 'a' });
  writeFileSync(path + '/work.txt', 'work');
  await removeWithoutSnapshot(app, await app.store.workspaces.find(id), own);
`;

test.each([
  ['set-aside', 'as it was'],
  ['snapshotted', 'gone'],
])('killed at %s, it is %s after the next command', async (step, end) => {
  const repository = makeRepository({ 'README.md': 'hello\n' });
  const { env } = createCarrel();
  const words = [JSON.stringify(env), repository, dirname(repository), `down:${step}`];
  expect(await start(DISCARD_AND_DIE, ...words).ended).toMatchObject({ status: null, stderr: '' });
  const app = await openApp({ environment: env, cwd: repository, recovers: false });
  onTestFinished(() => app.close());
  const [record] = await app.store.workspaces.list();
  expect(record).toMatchObject({ status: 'removing' });
  await recover(app);
  const isThere = existsSync(join(record?.path ?? '', 'work.txt'));
  const [after] = await app.store.workspaces.list();
  expect({ isThere, status: after?.status }).toEqual(
    end === 'gone' ? { isThere: false, status: undefined } : { isThere: true, status: 'ready' },
  );
  expect(await app.store.journal.list()).toEqual([]);
});

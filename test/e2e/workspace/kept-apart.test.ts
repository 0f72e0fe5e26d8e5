import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApp } from '../../../src/app.js';
import type { DoctorReport } from '../../../src/domain/report/result.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import { removeSnapshot } from '../../../src/operations/capture/remove-snapshot.js';
import { hashFiles, makeCrashSite, workIn } from '../../helpers/crash/crash-site.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeOld } from '../../helpers/git/old-snapshot.js';
import { commitFiles, git, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';

const TOKEN = 'TOKEN=never-to-be-sent';

/** All objects of a git directory, reachable or not. */
const readObjects = (gitDir: string): string =>
  execFileSync('git', ['--git-dir', gitDir, 'cat-file', '--batch', '--batch-all-objects'], {
    encoding: 'latin1',
  });

/** All objects that get to another repository by git's own means. */
function sendEverything(repository: string): string {
  const place = tempDir();
  const [mirror, all, clone, unbundled] = ['mirror', 'all', 'clone', 'unbundled'].map(name =>
    join(place, name),
  );
  for (const remote of [mirror, all]) git(place, 'init', '--quiet', '--bare', remote as string);
  git(repository, 'push', '--quiet', '--mirror', mirror as string);
  git(repository, 'push', '--quiet', '--all', all as string);
  git(place, 'clone', '--quiet', '--mirror', '--no-local', repository, clone as string);
  git(repository, 'bundle', 'create', '--quiet', join(place, 'all.bundle'), '--all');
  git(place, 'clone', '--quiet', '--mirror', join(place, 'all.bundle'), unbundled as string);
  return [mirror, all, clone, unbundled].map(each => readObjects(each as string)).join('');
}

const listKept = (stateDir: string): string =>
  git(join(stateDir, 'kept', 'sha1.git'), 'for-each-ref', '--format=%(refname)');

function makeSecretFixture() {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'secret.log': `${TOKEN}\n`, 'nested/file.txt': 'nested\n', 'new.txt': 'new\n' });
  git(join(fixture.path, 'nested'), 'init', '--quiet');
  git(join(fixture.path, 'nested'), 'config', 'remote.origin.url', `https://${TOKEN}@localhost/`);
  return fixture;
}

test('ignored files and nested repositories are in no object of the repository, and are restored', () => {
  const fixture = makeSecretFixture();
  const hash = hashFiles(fixture.path);
  fixture.ok('down', 'a', '--discard-changes');
  expect(readObjects(join(fixture.repository, '.git'))).not.toContain(TOKEN);
  const sent = sendEverything(fixture.repository);
  expect(sent).toContain('new.txt');
  expect(sent).not.toContain(TOKEN);
  fixture.ok('restore', 'a');
  expect(hashFiles(fixture.path)).toBe(hash);
});

thoroughTest('included files of an unchanged workspace go to the kept store too', () => {
  const site = makeCrashSite();
  const path = site.ok('up', 'a');
  site.ok('down', 'a');
  expect(readObjects(join(site.repository, '.git'))).not.toContain('SECRET=1');
  site.ok('restore', 'a');
  expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECRET=1\n');
});

thoroughTest('the kept part is removed with its snapshot', async () => {
  const fixture = makeSecretFixture();
  fixture.ok('snapshot', 'a');
  expect(listKept(fixture.carrel.stateDir)).toMatch(/^refs\/carrel\/snapshots\/snap_\w+\/[0-9a-f]{40}$/);
  const app = await openApp({ environment: fixture.carrel.env, cwd: tempDir() });
  onTestFinished(() => app.close());
  for (const snapshot of await app.store.snapshots.list()) await removeSnapshot(app, snapshot);
  expect(listKept(fixture.carrel.stateDir)).toBe('');
});

thoroughTest('a repository with SHA-256 has its own kept store', () => {
  const repository = tempDir();
  git(repository, 'init', '--quiet', '--initial-branch=main', '--object-format=sha256');
  commitFiles(repository, { 'README.md': 'hello\n', '.gitignore': '*.log\n' });
  const fixture = makeFixture({ repository });
  writeFiles(fixture.path, { 'secret.log': `${TOKEN}\n`, 'new.txt': 'new\n' });
  const hash = hashFiles(fixture.path);
  fixture.ok('down', 'a', '--discard-changes');
  expect(readObjects(join(repository, '.git'))).not.toContain(TOKEN);
  const store = join(fixture.carrel.stateDir, 'kept', 'sha256.git');
  expect(git(store, 'for-each-ref', '--format=%(refname)')).toMatch(/snap_\w+\/[0-9a-f]{64}$/);
  fixture.ok('restore', 'a');
  expect(hashFiles(fixture.path)).toBe(hash);
});

thoroughTest('without the kept part the rest of a snapshot is restored, with a warning', () => {
  const fixture = makeSecretFixture();
  fixture.ok('down', 'a', '--discard-changes');
  rmSync(join(fixture.carrel.stateDir, 'kept'), { recursive: true });
  const { checks } = JSON.parse(fixture.run('doctor', '--json').stdout) as DoctorReport;
  expect(checks.find(({ name }) => name === 'kept files')).toMatchObject({ status: 'problem' });
  const restored = fixture.run('restore', 'a');
  expect(restored).toMatchObject({ status: 0 });
  expect(restored.stderr).toContain('ignored files and nested repositories were not restored');
  expect(readFileSync(join(fixture.path, 'new.txt'), 'utf8')).toBe('new\n');
  expect(existsSync(join(fixture.path, 'secret.log'))).toBe(false);
});

thoroughTest('snapshots of earlier versions are moved by the next command, killed at any step', async () => {
  const site = makeCrashSite();
  const work = workIn(site.ok('up', 'a'));
  const { stateDir } = site.carrel;
  const taken = JSON.parse(site.ok('snapshot', 'a', '--json')) as Snapshot;
  const old = await makeOld(stateDir, work.path, taken.id);
  expect(sendEverything(site.repository)).toContain('ignored, and still worth keeping');
  site.killAt('settle:kept', 'ls');
  expect(git(site.repository, 'rev-parse', taken.ref)).toBe(old);
  site.killAt('settle:moved', 'ls');
  expect(git(site.repository, 'rev-parse', taken.ref)).not.toBe(old);
  const [moved] = JSON.parse(site.ok('snapshots', '--json')) as Snapshot[];
  expect(moved?.commit).toBe(git(site.repository, 'rev-parse', taken.ref));
  const sent = sendEverything(site.repository);
  expect(sent).not.toContain('ignored, and still worth keeping');
  expect(sent).toContain(`${work.label}/deep`.slice(0, work.label.length));
  git(site.repository, 'reflog', 'expire', '--expire=now', '--all');
  git(site.repository, 'gc', '--quiet', '--prune=now');
  expect(hashFiles(site.ok('restore', taken.id, '--as', 'b').trim())).toBe(work.hash);
});

test('a snapshot that is killed between its two halves leaves nothing, and the files stay', () => {
  const site = makeCrashSite();
  const work = workIn(site.ok('up', 'a'));
  site.killAt('snapshot:kept', 'down', 'a', '--discard-changes', '--discard-commits');
  expect(site.settle()).toMatchObject([{ name: 'a', status: 'ready' }]);
  expect(hashFiles(work.path)).toBe(work.hash);
  expect(listKept(site.carrel.stateDir)).toBe('');
});

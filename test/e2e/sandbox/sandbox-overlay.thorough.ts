import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { overlayDir, requireOverlay, unmountBelow } from '../../helpers/pool/overlay.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { makeOrdinaryFixture } from '../../helpers/workspace/unprivileged-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

beforeEach(requireOverlay);
beforeEach(requireBubblewrap);

const FULL = ['--isolation', 'full', '--strict'];
const CONFIG = 'workspace:\n  files: overlay\nsandbox:\n  runtime: bubblewrap\n';

/** A sandboxed workspace `a` whose files are an overlay. */
function makeSite() {
  const home = overlayDir();
  const carrel = createCarrel(home);
  writeFiles(home, { 'config/carrel/config.yaml': CONFIG });
  const repository = makeRepository({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' });
  const path = carrel.ok(repository, 'up', 'a', ...FULL);
  const inside = (script: string) => carrel.ok(repository, 'exec', 'a', '--', 'sh', '-ec', script);
  return { carrel, repository, path, inside, home };
}

test('a sandbox works with shared files: edit, commit, snapshot, down, restore', () => {
  const { carrel, repository, path, inside } = makeSite();
  expect(carrel.json(repository, 'show', 'a')).toMatchObject({
    backend: 'overlay',
    runtime: 'bubblewrap',
    isolation: { effective: 'full' },
    population: { way: 'overlay', reason: null },
  });
  expect(inside('git status --porcelain; cat .git')).toBe('gitdir: /run/carrel/git');
  inside('echo more >> a.txt; git rm -q src/b.txt; git commit -qam inside; echo dirty > dirty.txt');
  expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
  expect(git(path, 'status', '--porcelain')).toBe('?? dirty.txt');
  expect(carrel.ok(repository, 'snapshot', 'a')).toMatch(/^snap_/);
  carrel.ok(repository, 'down', 'a', '--discard-changes', '--discard-commits');
  expect(existsSync(path)).toBe(false);
  const restored = carrel.ok(repository, 'restore', 'a');
  expect(readFileSync(join(restored, 'a.txt'), 'utf8')).toBe('a\nmore\n');
  expect(inside('cat dirty.txt; git log -1 --format=%s; ls')).toBe('dirty\ninside\na.txt\ndirty.txt');
});

test('it is mounted again before the sandbox opens, and so are its changes there', () => {
  const { carrel, repository, inside, home } = makeSite();
  inside('echo work > work.txt');
  unmountBelow(home);
  expect(inside('cat a.txt work.txt; git status --porcelain')).toBe('a\nwork\n?? work.txt');
  unmountBelow(home);
  expect(carrel.ok(repository, 'snapshot', 'a')).toMatch(/^snap_/);
  unmountBelow(home);
  const [listed] = carrel.json<WorkspaceDetails[]>(repository, 'ls');
  expect(listed).toMatchObject({ name: 'a', changes: { untracked: 1 } });
  unmountBelow(home);
  inside('git add work.txt; git commit -qm work');
  unmountBelow(home);
  carrel.ok(repository, 'land', 'a');
  expect(git(repository, 'show', 'main:work.txt')).toBe('work');
});

test('a user who cannot mount gets checked-out files, and the reason', () => {
  const fixture = makeOrdinaryFixture({ config: CONFIG, up: FULL });
  expect(JSON.parse(fixture.run('show', 'a', '--json').stdout)).toMatchObject({
    backend: 'git',
    isolation: { effective: 'full' },
    population: { way: 'checkout', reason: expect.stringMatching(/./) },
  });
  const script = 'cat README.md; echo x > x; git add x; git commit -qm inside; git status --porcelain';
  expect(fixture.run('exec', 'a', '--', 'sh', '-ec', script)).toMatchObject({ stdout: 'hello\n', status: 0 });
  expect(fixture.run('land', 'a')).toMatchObject({ status: 0 });
});

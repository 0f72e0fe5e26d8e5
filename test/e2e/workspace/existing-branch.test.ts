import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { LandResult, RemovalResult } from '../../../src/domain/report/result.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { oneInSix, thoroughTest } from '../../helpers/flavours.js';
import { JJ_FORMS, jj, jjCommit, jjEnv, makeJjRepository, requireJj } from '../../helpers/git/jj.js';
import { overlayDir, requireOverlay } from '../../helpers/pool/overlay.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { writeFile } from '../../helpers/task/config-files.js';
import { tempDir } from '../../helpers/temp.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

/** A repository on main with a branch feat/x that is one commit ahead. */
function makeSite(home = tempDir(), config = '') {
  const carrel = createCarrel(home);
  if (config) writeFile(join(home, 'config/carrel/config.yaml'), config);
  const repository = makeRepository({ 'README.md': 'hello\n' });
  git(repository, 'checkout', '--quiet', '-b', 'feat/x');
  writeFiles(repository, { 'feature.txt': 'half\n' });
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '-m', 'half of the feature');
  git(repository, 'checkout', '--quiet', 'main');
  return { carrel, repository, tip: git(repository, 'rev-parse', 'feat/x') };
}

const KINDS = {
  'a worktree': { need: (_: TestContext): void => {}, make: () => makeSite(), args: [] },
  'an overlay': {
    need: requireOverlay,
    make: () => makeSite(overlayDir(), 'workspace:\n  files: overlay\n'),
    args: [],
  },
  'a sandbox': { need: requireBubblewrap, make: () => makeSite(), args: ['--isolation', 'full', '--strict'] },
} as const;

describe.each(oneInSix(Object.entries(KINDS)))('%s on an existing branch', (_, { need, make, args }) => {
  test('starts at its tip, moves it, and down leaves it there', async context => {
    await need(context);
    const { carrel, repository, tip } = make();
    const made = carrel.json<Workspace>(repository, 'up', 'x', '--branch', 'feat/x', ...args);
    expect(made).toMatchObject({ branch: 'feat/x', base: { ref: 'main', commit: tip } });
    expect(readFileSync(join(made.path, 'feature.txt'), 'utf8')).toBe('half\n');
    expect(carrel.ok(repository, 'diff', 'x', '--name-only')).toBe('feature.txt');
    const script = 'echo whole > feature.txt; git commit --quiet -am whole';
    carrel.ok(repository, 'exec', 'x', '--', 'sh', '-ec', script);
    expect(git(repository, 'show', 'feat/x:feature.txt')).toBe('whole');
    expect(carrel.json<RemovalResult>(repository, 'down', 'x')).toMatchObject({ deletedBranch: null });
    expect(existsSync(made.path)).toBe(false);
    expect(git(repository, 'show', 'feat/x:feature.txt')).toBe('whole');
  });

  thoroughTest('lands on the branch of the checkout', async context => {
    await need(context);
    const { carrel, repository } = make();
    carrel.ok(repository, 'up', 'x', '--branch', 'feat/x', ...args);
    const landed = carrel.json<LandResult>(repository, 'land', 'x');
    expect(landed).toMatchObject({ into: 'main', commits: 1, removed: { deletedBranch: null } });
    expect(readFileSync(join(repository, 'feature.txt'), 'utf8')).toBe('half\n');
    expect(git(repository, 'branch', '--list', 'feat/x')).not.toBe('');
  });
});

thoroughTest('a discarded workspace leaves the branch with its commits', () => {
  const { carrel, repository } = makeSite();
  const { path } = carrel.json<Workspace>(repository, 'up', 'x', '--branch', 'feat/x');
  git(path, 'commit', '--quiet', '--allow-empty', '-m', 'more');
  const tip = git(path, 'rev-parse', 'HEAD');
  writeFiles(path, { 'feature.txt': 'edited\n' });
  carrel.ok(repository, 'down', 'x', '--discard-changes', '--discard-commits');
  expect(git(repository, 'rev-parse', 'feat/x')).toBe(tip);
  const { branch } = carrel.json<Workspace>(repository, 'restore', 'x');
  expect(branch).toBe('feat/x-restored');
  expect(git(repository, 'rev-parse', 'feat/x')).toBe(tip);
});

thoroughTest('a missing branch is created, and removed with its workspace', () => {
  const { carrel, repository } = makeSite();
  carrel.ok(repository, 'up', 'x', '--branch', 'feat/new');
  expect(carrel.json(repository, 'down', 'x')).toMatchObject({ deletedBranch: 'feat/new' });
});

thoroughTest('--base names where the branch lands, not where it starts', () => {
  const { carrel, repository, tip } = makeSite();
  git(repository, 'branch', 'next', 'main');
  const made = carrel.json<Workspace>(repository, 'up', 'x', '--branch', 'feat/x', '--base', 'next');
  expect(made.base).toEqual({ ref: 'next', commit: tip });
  expect(carrel.json<LandResult>(repository, 'land', 'x').into).toBe('next');
});

test('a branch in use is refused with the place that has it', async () => {
  const { carrel, repository } = makeSite();
  const first = carrel.json<Workspace>(repository, 'up', 'first', '--branch', 'feat/x');
  const refusal = carrel.error(repository, 'up', 'second', '--branch', 'feat/x');
  expect(refusal).toMatchObject({ code: 'BRANCH_CHECKED_OUT', details: { path: first.path } });
  carrel.ok(repository, 'down', 'first');
  // Both found it free: the second one is refused when it registers.
  const ends = await Promise.all(
    ['a', 'b', 'c'].map(name => carrel.start(repository, 'up', name, '--branch', 'feat/x', '--json')),
  );
  expect(ends.map(({ status }) => status).sort()).toEqual([0, 3, 3]);
});

test('a branch that a rebase will return to is in use', () => {
  const { carrel, repository } = makeSite();
  writeFiles(repository, { 'feature.txt': 'other\n' });
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '-m', 'other');
  git(repository, 'checkout', '--quiet', 'feat/x');
  expect(() => git(repository, 'rebase', 'main')).toThrow();
  const refusal = carrel.error(repository, 'up', 'x', '--branch', 'feat/x');
  expect(refusal).toMatchObject({ code: 'BRANCH_CHECKED_OUT', details: { path: repository } });
});

for (const form of oneInSix(JJ_FORMS))
  thoroughTest(`a bookmark of a ${form} jj repository is opened too`, context => {
    requireJj(context);
    const carrel = createCarrel(tempDir(), { ...jjEnv(), HOME: tempDir() });
    const repository = makeJjRepository(form, { 'README.md': 'hello\n' });
    jj(repository, 'new', 'main', '-m', 'half');
    writeFiles(repository, { 'feature.txt': 'half\n' });
    jj(repository, 'bookmark', 'create', 'feat/x', '-r', '@');
    jj(repository, 'new', 'main');
    const made = carrel.json<Workspace>(repository, 'up', 'x', '--branch', 'feat/x');
    expect(made).toMatchObject({
      backend: 'jj',
      branch: 'feat/x',
      base: { commit: jjCommit(repository, 'feat/x') },
    });
    expect(readFileSync(join(made.path, 'feature.txt'), 'utf8')).toBe('half\n');
    const refusal = carrel.error(repository, 'up', 'y', '--branch', 'feat/x');
    expect(refusal).toMatchObject({ code: 'BRANCH_CHECKED_OUT', details: { path: made.path } });
    expect(carrel.json(repository, 'down', 'x')).toMatchObject({ deletedBranch: null });
    expect(jjCommit(repository, 'feat/x')).toBe(made.base.commit);
  });

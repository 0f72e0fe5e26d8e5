import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../../test/helpers/fingerprint.js';
import { commitFiles, git as plainGit, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { makeWorkspace, refusal } from '../../../../test/helpers/workspace/landing.js';

test('a checkout on another branch is not changed at all', async () => {
  const { path, repository, run, land } = makeWorkspace();
  run('switch', '--quiet', '-c', 'mine');
  writeFiles(repository, { 'a.txt': 'edited\n', 'c.txt': 'untracked\n' });
  const tip = commitFiles(path, { 'c.txt': '1\n' });
  const { refs: _, ...before } = fingerprint(repository);
  expect((await land({ into: 'main' })).checkouts).toEqual([]);
  expect(run('rev-parse', 'main')).toBe(tip);
  expect(fingerprint(repository)).toMatchObject(before);
});

test('a linked worktree that has the target checked out is updated', async () => {
  const { path, repository, run, land } = makeWorkspace();
  const linked = join(tempDir(), 'linked tree');
  run('worktree', 'add', '--quiet', '-b', 'topic', linked);
  commitFiles(path, { 'c.txt': '1\n' });
  const { refs: _, ...before } = fingerprint(repository);
  expect((await land({ into: 'topic' })).checkouts).toEqual([linked]);
  expect(plainGit(linked, 'status', '--porcelain')).toBe('');
  expect(existsSync(join(linked, 'c.txt'))).toBe(true);
  expect(fingerprint(repository)).toMatchObject(before);
});

test('a symbolic branch moves the branch it points to, checkout included', async () => {
  const { path, run, land } = makeWorkspace();
  run('symbolic-ref', 'refs/heads/trunk', 'refs/heads/main');
  const tip = commitFiles(path, { 'c.txt': '1\n' });
  await land({ into: 'trunk' });
  expect(run('rev-parse', 'main')).toBe(tip);
  expect(run('symbolic-ref', 'refs/heads/trunk')).toBe('refs/heads/main');
  expect(run('status', '--porcelain')).toBe('');
});

test.each<[string, (repository: string) => void, string[]]>([
  ['an unstaged change', repository => writeFiles(repository, { 'b.txt': 'mine\n' }), ['b.txt']],
  [
    'a staged change',
    repository => {
      writeFiles(repository, { 'b.txt': 'mine\n' });
      plainGit(repository, 'add', 'b.txt');
    },
    ['b.txt'],
  ],
  ['an untracked file in the way', repository => writeFiles(repository, { 'c.txt': 'mine\n' }), ['c.txt']],
  ['an ignored file in the way', repository => writeFiles(repository, { '.env': 'SECRET\n' }), ['.env']],
  [
    'a merge in progress',
    repository =>
      writeFileSync(join(repository, '.git/MERGE_HEAD'), `${plainGit(repository, 'rev-parse', 'HEAD')}\n`),
    ['(a merge in progress)'],
  ],
])('%s in the checkout of the target is refused, before and after the plan', async (_, disturb, files) => {
  const workspace = makeWorkspace();
  const { path, repository, landing, record, request, steps } = workspace;
  writeFiles(path, { 'c.txt': '1\n', '.env': 'x\n' });
  plainGit(path, 'add', '--all', '--force');
  plainGit(path, 'commit', '--quiet', '-m', 'one');
  const plan = await landing.prepare(record, request());
  disturb(repository);
  const expected = { code: 'LAND_CHECKOUT_DIRTY', details: { into: 'main', path: repository, files } };
  expect(await refusal(workspace, () => landing.prepare(record, request()))).toEqual(expected);
  expect(await refusal(workspace, () => landing.move(record, plan, async () => {}))).toEqual(expected);
  expect(steps).toEqual([]);
});

test('a branch that is being rebased elsewhere counts as checked out', async () => {
  const workspace = makeWorkspace();
  const { path, run, landing, record, request } = workspace;
  const linked = join(tempDir(), 'linked');
  run('worktree', 'add', '--quiet', '-b', 'topic', linked);
  commitFiles(linked, { 'b.txt': 'topic\n' });
  commitFiles(workspace.repository, { 'b.txt': 'main\n' });
  expect(() => plainGit(linked, 'rebase', '--quiet', 'main')).toThrow();
  commitFiles(path, { 'c.txt': '1\n' });
  const { code, details } = await refusal(workspace, () =>
    landing.prepare(record, request({ into: 'topic' })),
  );
  expect([code, details.path]).toEqual(['LAND_CHECKOUT_DIRTY', linked]);
});

test('a checkout whose directory is gone is skipped unless it is locked', async () => {
  const workspace = makeWorkspace();
  const { path, run, landing, record, request, land } = workspace;
  const linked = join(tempDir(), 'linked');
  run('worktree', 'add', '--quiet', '--lock', '-b', 'topic', linked);
  rmSync(linked, { recursive: true });
  commitFiles(path, { 'c.txt': '1\n' });
  const { code } = await refusal(workspace, () => landing.prepare(record, request({ into: 'topic' })));
  expect(code).toBe('LAND_CHECKOUT_DIRTY');
  run('worktree', 'unlock', linked);
  expect((await land({ into: 'topic' })).checkouts).toEqual([]);
});

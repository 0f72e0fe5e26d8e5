import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import {
  commitFiles,
  gitEnv,
  makeRepository,
  git as plainGit,
  writeFiles,
} from '../../../../test/helpers/repository.js';
import { edit, makeWorkspace, refusal } from '../../../../test/helpers/workspace/landing.js';

test('staged, unstaged and untracked files of the workspace are named', async () => {
  const workspace = makeWorkspace();
  const { path, landing, record, request } = workspace;
  commitFiles(path, { 'c.txt': '1\n' });
  plainGit(path, 'config', 'status.showUntrackedFiles', 'no');
  writeFiles(path, {
    'a.txt': 'staged\n',
    'b.txt': 'unstaged\n',
    'dir/new.txt': 'untracked\n',
    '.env': 'ignored\n',
  });
  plainGit(path, 'add', 'a.txt');
  expect(await refusal(workspace, () => landing.prepare(record, request()))).toEqual({
    code: 'LAND_UNCOMMITTED',
    details: { name: 'x', files: ['a.txt', 'b.txt', 'dir/new.txt'] },
  });
});

test('a rebase in progress in the workspace is not landed', async () => {
  const workspace = makeWorkspace();
  const { path, repository, landing, record, request } = workspace;
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  commitFiles(path, { 'a.txt': edit(3, 'mine\n').join('') }, 'two');
  commitFiles(repository, { 'a.txt': edit(3, 'theirs\n').join('') });
  expect(() => plainGit(path, 'rebase', '--quiet', 'main')).toThrow();
  plainGit(path, 'checkout', '--quiet', '--ours', 'a.txt');
  plainGit(path, 'add', 'a.txt');
  const { code, details } = await refusal(workspace, () => landing.prepare(record, request()));
  expect([code, details.files]).toEqual(['LAND_UNCOMMITTED', ['(a rebase in progress)']]);
  expect((await refusal(workspace, () => landing.commitAll(record, 'all'))).code).toBe('LAND_UNCOMMITTED');
});

test('commits all changes except ignored files, without hooks and without a signing key', async () => {
  const { path, repository, run, landing, record } = makeWorkspace();
  run('config', 'commit.gpgSign', 'true');
  for (const hook of ['pre-commit', 'commit-msg', 'prepare-commit-msg', 'post-commit']) {
    writeFileSync(join(repository, '.git/hooks', hook), `#!/bin/sh\ntouch '${path}/ran'\nexit 1\n`, {
      mode: 0o755,
    });
  }
  writeFiles(path, { 'a.txt': 'staged\n', 'dir/new.txt': 'new\n', '.env': 'ignored\n', ':(top)*': 'odd\n' });
  plainGit(path, 'add', 'a.txt');
  rmSync(join(path, 'b.txt'));
  const before = fingerprint(repository);
  const { commit } = await landing.commitAll(record, '# all of it\n\nwith a body');
  expect(fingerprint(repository)).toEqual(before);
  expect(run('rev-parse', 'carrel/x')).toBe(commit);
  expect(run('show', '--format=%B', '--name-status', commit)).toBe(
    '# all of it\n\nwith a body\n\n\nA\t:(top)*\nM\ta.txt\nD\tb.txt\nA\tdir/new.txt',
  );
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
  expect(existsSync(join(path, 'ran'))).toBe(false);
  expect(await landing.commitAll(record, 'again')).toEqual({ commit, leftOut: [] });
});

thoroughTest('files of a terabyte and named pipes are left out of a commit and named', async () => {
  const { path, run, landing, record } = makeWorkspace();
  writeFiles(path, { 'new.txt': 'new\n', 'odd *.bin': '' });
  for (const name of ['a.txt', 'odd *.bin']) truncateSync(join(path, name), 2 ** 40);
  rmSync(join(path, 'b.txt'));
  // git itself would wait for the second one.
  for (const pipe of ['b.txt', 'sub/.gitignore']) {
    mkdirSync(dirname(join(path, pipe)), { recursive: true });
    execFileSync('mkfifo', [join(path, pipe)]);
  }
  const { commit, leftOut } = await landing.commitAll(record, 'all');
  expect(leftOut).toEqual([
    'left out of the commit: a.txt, which is 1.0 TB; the maximum is 64 GB',
    'left out of the commit: b.txt, which is a named pipe, a socket or a device',
    'left out of the commit: odd *.bin, which is 1.0 TB; the maximum is 64 GB',
  ]);
  expect(run('show', '--format=', '--name-status', commit)).toBe('A\tnew.txt');
});

thoroughTest('without an identity Carrel is the committer', async () => {
  const { GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_COMMITTER_NAME, GIT_COMMITTER_EMAIL, ...env } = gitEnv();
  const { path, repository, run, landing, record, land } = makeWorkspace({ env });
  run('config', 'user.useConfigOnly', 'true');
  commitFiles(repository, { 'd.txt': '1\n' });
  writeFiles(path, { 'c.txt': '1\n' });
  await landing.commitAll(record, 'all');
  await land();
  expect(run('log', '-1', '--format=%cn <%ce>', 'carrel/x')).toBe('Carrel <carrel@localhost>');
  expect(run('log', '-1', '--format=%s by %an', 'main')).toBe('Merge workspace x by Carrel');
});

thoroughTest('a repository inside, a conflict and an empty message are not committed', async () => {
  const workspace = makeWorkspace();
  const { path, repository, landing, record } = workspace;
  const commitAll = (message = 'all') => refusal(workspace, () => landing.commitAll(record, message));
  makeRepository({ inner: 'x\n' }, join(path, 'nested/inner'));
  writeFiles(path, { 'new.txt': 'x\n' });
  const { code, details } = await commitAll();
  expect([code, details.files]).toEqual(['LAND_UNCOMMITTED', ['nested/inner/']]);
  expect((await commitAll(' \n')).code).toBe('INVALID_INPUT');
  rmSync(join(path, 'nested'), { recursive: true });
  commitFiles(path, { 'b.txt': 'mine\n' });
  commitFiles(repository, { 'b.txt': 'theirs\n' });
  expect(() => plainGit(path, 'merge', '--quiet', 'main')).toThrow();
  expect((await commitAll()).details.files).toEqual(['b.txt']);
  writeFiles(path, { 'b.txt': 'both\n' });
  plainGit(path, 'add', 'b.txt');
  await landing.commitAll(record, 'merged');
  expect(plainGit(path, 'rev-list', '--parents', '-n', '1', 'HEAD').split(' ').length).toBe(3);
});

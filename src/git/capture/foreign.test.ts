import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  dumpObjects,
  hasSprung,
  makeHostileDesk,
  plantRepository,
  SECRET,
} from '../../../test/helpers/hostile-files.js';
import { git, writeFiles } from '../../../test/helpers/repository.js';
import { captureRequest, listFiles } from '../../../test/helpers/round-trip.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { testGit } from '../../../test/helpers/test-git.js';
import { captureWorkTree } from './capture.js';
import { restoreWorkTree } from './restore.js';

/** A workspace full of plants, and the snapshot of it. */
async function captureDesk() {
  const desk = makeHostileDesk();
  const { path, repository } = desk;
  plantRepository(desk, join(path, 'sub'));
  plantRepository(desk, join(path, 'nested'));
  git(repository, 'config', 'filter.mine.clean', desk.trap);
  git(repository, 'config', 'filter.mine.smudge', desk.trap);
  writeFiles(path, {
    '.gitattributes': '* filter=mine\n',
    'a.txt': 'edited\n',
    'new.txt': 'new\n',
    'own.log': 'ignored\n',
    'dir/setuid': 'program\n',
  });
  mkdirSync(join(path, 'empty'));
  symlinkSync('/etc/passwd', join(path, 'link'));
  chmodSync(join(path, 'dir/setuid'), 0o4755);
  const place = placeOf(path, repository, desk.record.id, true);
  const captured = await captureWorkTree(testGit(), place, captureRequest());
  return { ...desk, captured };
}

const placeOf = (workTree: string, repository: string, id: string, isForeign: boolean) => ({
  workTree,
  gitDir: join(repository, '.git/worktrees', id),
  commonDir: join(repository, '.git'),
  isForeign,
});

async function restoreDesk(
  { repository, captured }: Awaited<ReturnType<typeof captureDesk>>,
  isForeign: boolean,
) {
  const restored = join(tempDir(), 'restored');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', restored, 'carrel/x');
  const place = placeOf(restored, repository, 'restored', isForeign);
  const request = { commit: captured.commit, temporaryRoot: tempDir() };
  return { restored, ...(await restoreWorkTree(testGit(), place, request)) };
}

test('strangers’ files come back to the byte with their repositories, and nothing runs', async () => {
  const desk = await captureDesk();
  const before = listFiles(desk.path);
  const { restored, warnings } = await restoreDesk(desk, true);
  expect(warnings).toEqual([]);
  expect(hasSprung(desk)).toBe(false);
  const setuid = before['dir/setuid']?.replace(/^104755/, '100755');
  expect(listFiles(restored)).toEqual({ ...before, 'dir/setuid': setuid });
  expect(setuid).not.toBe(before['dir/setuid']);
});

test('for a workspace without a sandbox the repositories stay in the snapshot, which is told', async () => {
  const desk = await captureDesk();
  const { restored, warnings } = await restoreDesk(desk, false);
  expect(warnings.map(warning => warning.split(' ')[0])).toEqual(['nested', 'sub']);
  expect(readdirSync(restored).sort()).toEqual([
    '.git',
    '.gitattributes',
    '.gitignore',
    '.gitmodules',
    'a.txt',
    'b.txt',
    'dir',
    'empty',
    'link',
    'new.txt',
    'own.log',
    'sub',
  ]);
  expect(readdirSync(join(restored, 'sub'))).toEqual([]);
  expect(existsSync(join(restored, 'nested'))).toBe(false);
  expect(statSync(join(restored, 'dir/setuid')).mode & 0o7777).toBe(0o755);
  expect(hasSprung(desk)).toBe(false);
});

test('the private git directory comes back as plain files, with its links as links', async () => {
  const desk = makeHostileDesk();
  const privateGitDir = join(tempDir(), 'sandbox/git');
  mkdirSync(privateGitDir, { recursive: true });
  git(privateGitDir, 'init', '--quiet', '--bare', '--template=', '--initial-branch=carrel/x');
  git(privateGitDir, 'fetch', '--quiet', desk.repository, 'carrel/x:refs/heads/carrel/x');
  const secret = join(desk.outside, 'secret');
  writeFiles(privateGitDir, {
    'refs/heads/other': `${git(privateGitDir, 'rev-parse', 'carrel/x')}\n`,
    'logs/refs/stash': 'a stash\n',
    'hooks/post-commit': '#!/bin/sh\n',
    '.gitmodules': 'a name that git minds\n',
    config: `[core]\n\tfsmonitor = ${desk.trap}\n\tbare = true\n`,
  });
  symlinkSync(secret, join(privateGitDir, 'packed-refs'));
  symlinkSync(desk.outside, join(privateGitDir, 'refs/outside'));
  chmodSync(join(privateGitDir, 'hooks/post-commit'), 0o4777);
  const place = placeOf(desk.path, desk.repository, desk.record.id, true);
  const captured = await captureWorkTree(testGit(), place, captureRequest({ privateGitDir }));
  const again = join(tempDir(), 'another/git');
  const target = join(tempDir(), 'restored');
  git(desk.repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', target, 'carrel/x');
  await restoreWorkTree(testGit(), placeOf(target, desk.repository, 'restored', true), {
    commit: captured.commit,
    privateGitDir: again,
    temporaryRoot: tempDir(),
  });
  expect(contentOf(again)).toEqual(contentOf(privateGitDir));
  expect(statSync(join(again, 'hooks/post-commit')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(again, 'packed-refs')).isSymbolicLink()).toBe(true);
  expect(readdirSync(target)).not.toContain('private');
  expect(dumpObjects(desk)).not.toContain(SECRET);
  expect(hasSprung(desk)).toBe(false);
});

const contentOf = (directory: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(listFiles(directory)).map(([path, text]) => [path, text.replace(/^\d+ /, '')]),
  );

test('what does not fit of the private git directory is named, objects before refs', async () => {
  const desk = makeHostileDesk();
  const privateGitDir = join(tempDir(), 'git');
  writeFiles(privateGitDir, {
    HEAD: 'ref: refs/heads/x\n',
    'objects/aa/small': 'x'.repeat(100),
    'objects/pack/large.pack': 'x'.repeat(2000),
    'refs/heads/x': 'y'.repeat(41),
  });
  const place = placeOf(desk.path, desk.repository, desk.record.id, true);
  const { commit, omitted } = await captureWorkTree(
    testGit(),
    place,
    captureRequest({ privateGitDir, privateGitBytes: 1000 }),
  );
  expect(omitted).toEqual([
    {
      path: '.git/objects/pack/large.pack',
      bytes: 2000,
      reason: 'part of the git directory inside, beyond the limit of 1000 bytes',
    },
  ]);
  expect(git(desk.repository, 'ls-tree', '-r', '--name-only', `${commit}^3`, 'private/').split('\n')).toEqual(
    ['private/HEAD', 'private/objects/aa/small', 'private/refs/heads/x'],
  );
});

test('a snapshot without a private git directory makes none', async () => {
  const desk = await captureDesk();
  const { repository, captured } = desk;
  const restored = join(tempDir(), 'restored');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', restored, 'carrel/x');
  const privateGitDir = join(tempDir(), 'git');
  const place = placeOf(restored, repository, 'restored', true);
  await restoreWorkTree(testGit(), place, {
    commit: captured.commit,
    privateGitDir,
    temporaryRoot: tempDir(),
  });
  expect(existsSync(privateGitDir)).toBe(false);
});

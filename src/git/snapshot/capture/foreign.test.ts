import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { captureRequest, listFiles } from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, writeFiles } from '../../../../test/helpers/repository.js';
import {
  dumpObjects,
  hasSprung,
  makeHostileFixture,
  plantRepository,
  SECRET,
} from '../../../../test/helpers/sandbox/hostile-files.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { restoreWorkTree } from '../restore/restore-work-tree.js';
import { captureWorkTree } from './capture.js';

/** A workspace full of planted files, and its snapshot. */
async function captureFixture() {
  const fixture = makeHostileFixture();
  const { path, repository } = fixture;
  plantRepository(fixture, join(path, 'sub'));
  plantRepository(fixture, join(path, 'nested'));
  git(repository, 'config', 'filter.mine.clean', fixture.trap);
  git(repository, 'config', 'filter.mine.smudge', fixture.trap);
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
  const place = placeOf(path, repository, fixture.record.id, true);
  const captured = await captureWorkTree(testGit(), place, captureRequest());
  return { ...fixture, captured };
}

const placeOf = (workTree: string, repository: string, id: string, isForeign: boolean) => ({
  workTree,
  gitDir: join(repository, '.git/worktrees', id),
  commonDir: join(repository, '.git'),
  isForeign,
});

async function restoreFixture(
  { repository, captured }: Awaited<ReturnType<typeof captureFixture>>,
  isForeign: boolean,
) {
  const restored = join(tempDir(), 'restored');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', restored, 'carrel/x');
  const place = placeOf(restored, repository, 'restored', isForeign);
  const request = { commit: captured.commit, temporaryRoot: tempDir() };
  return { restored, ...(await restoreWorkTree(testGit(), place, request)) };
}

test('untrusted files are restored byte for byte with their repositories, and nothing runs', async () => {
  const fixture = await captureFixture();
  const before = listFiles(fixture.path);
  const { restored, warnings } = await restoreFixture(fixture, true);
  expect(warnings).toEqual([]);
  expect(hasSprung(fixture)).toBe(false);
  const setuid = before['dir/setuid']?.replace(/^104755/, '100755');
  expect(listFiles(restored)).toEqual({ ...before, 'dir/setuid': setuid });
  expect(setuid).not.toBe(before['dir/setuid']);
});

thoroughTest(
  'for a workspace without a sandbox the repositories stay in the snapshot, with a warning',
  async () => {
    const fixture = await captureFixture();
    const { restored, warnings } = await restoreFixture(fixture, false);
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
    expect(hasSprung(fixture)).toBe(false);
  },
);

test('the private git directory is restored as plain files, with its links as links', async () => {
  const fixture = makeHostileFixture();
  const privateGitDir = join(tempDir(), 'sandbox/git');
  mkdirSync(privateGitDir, { recursive: true });
  git(privateGitDir, 'init', '--quiet', '--bare', '--template=', '--initial-branch=carrel/x');
  git(privateGitDir, 'fetch', '--quiet', fixture.repository, 'carrel/x:refs/heads/carrel/x');
  const secret = join(fixture.outside, 'secret');
  writeFiles(privateGitDir, {
    'refs/heads/other': `${git(privateGitDir, 'rev-parse', 'carrel/x')}\n`,
    'logs/refs/stash': 'a stash\n',
    'hooks/post-commit': '#!/bin/sh\n',
    '.gitmodules': 'a name that git minds\n',
    config: `[core]\n\tfsmonitor = ${fixture.trap}\n\tbare = true\n`,
  });
  symlinkSync(secret, join(privateGitDir, 'packed-refs'));
  symlinkSync(fixture.outside, join(privateGitDir, 'refs/outside'));
  chmodSync(join(privateGitDir, 'hooks/post-commit'), 0o4777);
  const place = placeOf(fixture.path, fixture.repository, fixture.record.id, true);
  const captured = await captureWorkTree(testGit(), place, captureRequest({ privateGitDir }));
  const again = join(tempDir(), 'another/git');
  const target = join(tempDir(), 'restored');
  git(fixture.repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', target, 'carrel/x');
  await restoreWorkTree(testGit(), placeOf(target, fixture.repository, 'restored', true), {
    commit: captured.commit,
    privateGitDir: again,
    temporaryRoot: tempDir(),
  });
  expect(contentOf(again)).toEqual(contentOf(privateGitDir));
  expect(statSync(join(again, 'hooks/post-commit')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(again, 'packed-refs')).isSymbolicLink()).toBe(true);
  expect(readdirSync(target)).not.toContain('private');
  expect(dumpObjects(fixture)).not.toContain(SECRET);
  expect(hasSprung(fixture)).toBe(false);
});

const contentOf = (directory: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(listFiles(directory)).map(([path, text]) => [path, text.replace(/^\d+ /, '')]),
  );

test('what does not fit of the private git directory is reported, objects before refs', async () => {
  const fixture = makeHostileFixture();
  const privateGitDir = join(tempDir(), 'git');
  writeFiles(privateGitDir, {
    HEAD: 'ref: refs/heads/x\n',
    'objects/aa/small': 'x'.repeat(100),
    'objects/pack/large.pack': 'x'.repeat(2000),
    'refs/heads/x': 'y'.repeat(41),
  });
  const place = placeOf(fixture.path, fixture.repository, fixture.record.id, true);
  const { commit, omitted } = await captureWorkTree(
    testGit(),
    place,
    captureRequest({ privateGitDir, privateGitBytes: 1000 }),
  );
  expect(omitted).toEqual([
    {
      path: '.git/objects/pack/large.pack',
      bytes: 2000,
      reason: 'part of the private git directory, above the limit of 1000 bytes',
    },
  ]);
  expect(
    git(fixture.repository, 'ls-tree', '-r', '--name-only', `${commit}^3`, 'private/').split('\n'),
  ).toEqual(['private/HEAD', 'private/objects/aa/small', 'private/refs/heads/x']);
});

thoroughTest('a snapshot without a private git directory makes none', async () => {
  const fixture = await captureFixture();
  const { repository, captured } = fixture;
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

import { chmodSync, lstatSync, mkdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureRequest, listFiles } from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { captureWorkTree } from '../capture/capture.js';
import { listPrivateHome } from './private-home.js';
import { restoreWorkTree } from './restore-work-tree.js';

const LIMITS = { ignoredBytes: 1000, regenerable: ['node_modules'] };

test('caches and files that tools recreate are reported and left out, and repositories are complete', async () => {
  const home = tempDir();
  writeFiles(home, {
    notes: 'n',
    '.git/config': 'dotfiles',
    '.cache/x/y': 'cached',
    '.cargo/registry/x': 'cached',
    '.cargo/credentials.toml': 'mine',
    'node_modules/x': 'made',
    'project/.git/HEAD': 'ref: refs/heads/main\n',
    'project/node_modules/x': 'committed',
  });
  const { files, omitted, beyondLimit } = await listPrivateHome(home, LIMITS);
  expect(files.map(({ path }) => path).sort()).toEqual([
    '.cargo/credentials.toml',
    '.git/config',
    'notes',
    'project/.git/HEAD',
    'project/node_modules/x',
  ]);
  expect(omitted.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['~/node_modules', 4],
    ['~/.cache', 6],
    ['~/.cargo/registry', 6],
  ]);
  expect(beyondLimit).toEqual([]);
});

test('what does not fit is reported, large before small', async () => {
  const home = tempDir();
  writeFiles(home, { notes: 'n', 'large/a': 'x'.repeat(600), 'large/b': 'x'.repeat(600) });
  const { files, beyondLimit } = await listPrivateHome(home, LIMITS);
  expect(files.map(({ path }) => path)).toEqual(['notes']);
  const reason = 'part of the private home, above the limit of 1000 bytes';
  expect(beyondLimit).toEqual([{ path: '~/large', bytes: 1200, reason }]);
});

test('a home is restored with its permissions, links as links, and no setuid program', async () => {
  const repository = makeRepository();
  const home = join(tempDir(), 'home');
  const secret = join(tempDir(), 'secret');
  writeFiles(home, { '.ssh/key': 'k', program: 'p' });
  mkdirSync(join(home, 'empty'));
  symlinkSync(secret, join(home, 'link'));
  chmodSync(join(home, '.ssh'), 0o700);
  chmodSync(join(home, '.ssh/key'), 0o600);
  chmodSync(join(home, 'program'), 0o4755);
  const place = {
    workTree: repository,
    gitDir: join(repository, '.git'),
    commonDir: join(repository, '.git'),
  };
  const request = captureRequest({ privateHome: home });
  const { commit } = await captureWorkTree(testGit(), { ...place, isForeign: true }, request);
  const target = join(tempDir(), 'restored');
  git(repository, 'worktree', 'add', '--quiet', '--no-checkout', '--detach', target);
  const again = join(tempDir(), 'again');
  const restored = { ...place, workTree: target, gitDir: join(repository, '.git/worktrees/restored') };
  const restoration = { commit, privateHome: again, temporaryRoot: tempDir() };
  await restoreWorkTree(testGit(), { ...restored, isForeign: true }, restoration);
  const modeOf = (path: string) => lstatSync(join(again, path)).mode & 0o7777;
  expect([modeOf('.ssh'), modeOf('.ssh/key'), modeOf('program')]).toEqual([0o700, 0o600, 0o755]);
  expect(readlinkSync(join(again, 'link'))).toBe(secret);
  expect(statSync(join(again, 'empty')).isDirectory()).toBe(true);
  expect(Object.keys(listFiles(target))).not.toContain('private-home/program');
});

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { flavours, oneInSix, thoroughTest } from '../../../test/helpers/flavours.js';
import {
  commitFiles,
  gitEnv,
  makeRepository,
  git as plainGit,
  writeFiles,
} from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit } from '../git.js';
import { checkoutState, findBlockers, moveCheckout } from './checkout-update.js';
import { finishCheckoutMove } from './finish-checkout-move.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });

/** main is at `from` and is checked out; `to` is a commit after it that has `changes`. */
function makeCheckout(changes: (repository: string) => void, files: Record<string, string> = {}) {
  const repository = makeRepository({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    '.gitignore': '*.log\n.env\n',
    ...files,
  });
  const run = (...args: string[]) => plainGit(repository, ...args);
  run('switch', '--quiet', '-c', 'next');
  changes(repository);
  run('add', '--all', '--force');
  run('commit', '--quiet', '-m', 'next');
  run('switch', '--quiet', 'main');
  const gitDir = join(repository, '.git');
  const move = { from: run('rev-parse', 'main'), to: run('rev-parse', 'next') };
  return {
    repository,
    run,
    place: { gitDir, commonDir: gitDir, workTree: repository },
    move,
    temporaryRoot: tempDir(),
  };
}

const editA = (repository: string) => writeFiles(repository, { 'a.txt': 'A\n' });
const read = (repository: string, name: string) => readFileSync(join(repository, name), 'utf8');

async function expectUnwritten<T>(repository: string, action: () => Promise<T>): Promise<T> {
  const before = fingerprint(repository);
  const result = await action();
  expect(fingerprint(repository)).toEqual(before);
  return result;
}

test('a checkout with untracked, ignored and touched files is clean, and checking writes nothing', async () => {
  const { repository, place, move } = makeCheckout(editA);
  writeFiles(repository, { 'new.txt': 'x\n', 'x.log': 'x\n' });
  utimesSync(join(repository, 'b.txt'), 1, 1);
  const state = await expectUnwritten(repository, () => checkoutState(git, place, move.from));
  expect(state).toEqual({ clean: true, dirty: [] });
});

test('staged, unstaged, deleted, intended and conflicted files are dirty', async () => {
  const { repository, place, move, run } = makeCheckout(editA, { 'c.txt': 'c\n', 'größe ä.txt': 'd\n' });
  writeFiles(repository, { 'a.txt': 'staged\n', 'größe ä.txt': 'unstaged\n', 'intended.txt': 'x\n' });
  run('add', 'a.txt');
  run('add', '--intent-to-add', 'intended.txt');
  rmSync(join(repository, 'c.txt'));
  const state = await expectUnwritten(repository, () => checkoutState(git, place, move.from));
  expect(state).toEqual({ clean: false, dirty: ['a.txt', 'c.txt', 'größe ä.txt', 'intended.txt'] });
});

test('a merge in progress is dirty even when all conflicts are resolved', async () => {
  const { repository, place, run } = makeCheckout(editA);
  const from = commitFiles(repository, { 'b.txt': 'B\n' });
  run('merge', '--quiet', '--no-commit', '--no-ff', 'next');
  run('checkout', '--quiet', 'HEAD', '--', 'a.txt');
  expect(await checkoutState(git, place, from)).toEqual({ clean: false, dirty: ['(a merge in progress)'] });
});

thoroughTest('a lock that is not released is dirty', async () => {
  const { repository, place, move } = makeCheckout(editA);
  writeFileSync(join(repository, '.git/index.lock'), '');
  expect((await checkoutState(git, place, move.from)).dirty).toEqual([
    '(index.lock: another git process is running)',
  ]);
});

test('a checkout at another commit is dirty', async () => {
  const { place, move } = makeCheckout(editA);
  expect((await checkoutState(git, place, move.to)).dirty).toEqual(['a.txt']);
});

test('a move adds, changes, deletes, renames and changes modes and types', async () => {
  const { repository, place, move, run, temporaryRoot } = makeCheckout(
    path => {
      writeFiles(path, { 'a.txt': 'A\n', 'new/deep/file.txt': 'n\n', dir: 'a file now\n' });
      plainGit(path, 'mv', 'b.txt', 'renamed.txt');
      rmSync(join(path, 'gone'), { recursive: true });
      rmSync(join(path, 'file'));
      writeFiles(path, { 'file/inside.txt': 'i\n' });
      symlinkSync('a.txt', join(path, 'link'));
    },
    { 'gone/g.txt': 'g\n', file: 'f\n' },
  );
  expect(await findBlockers(git, place, move, temporaryRoot)).toEqual([]);
  utimesSync(join(repository, 'a.txt'), 1, 1);
  writeFiles(repository, { 'untracked.txt': 'mine\n', 'x.log': 'mine\n' });
  await moveCheckout(git, place, move);
  run('update-ref', 'refs/heads/main', move.to);
  expect(run('status', '--porcelain')).toBe('?? untracked.txt');
  expect(read(repository, 'file/inside.txt')).toBe('i\n');
  expect(read(repository, 'x.log')).toBe('mine\n');
  expect(existsSync(join(repository, 'gone'))).toBe(false);
});

test.each([
  ['an untracked file', { 'new.txt': 'mine\n' }, ['new.txt'], { 'new.txt': 'theirs\n' }],
  ['an ignored file', { '.env': 'SECRET\n' }, ['.env'], { '.env': 'theirs\n' }],
  [
    'a file where a directory is created',
    { 'x.log': 'mine\n' },
    ['x.log'],
    { 'x.log/inside.txt': 'theirs\n' },
  ],
  [
    'files in a directory that is replaced by a file',
    { 'd/x.log': 'mine\n', 'd/e/y.log': 'y\n' },
    ['d/e/y.log', 'd/x.log'],
    { d: 'theirs\n' },
  ],
] as const)('%s is not overwritten', async (_, mine, blockers, theirs) => {
  const { repository, place, move, temporaryRoot } = makeCheckout(path => writeFiles(path, theirs));
  writeFiles(repository, mine);
  const found = await expectUnwritten(repository, () => findBlockers(git, place, move, temporaryRoot));
  expect(found.sort()).toEqual(blockers);
});

test('an ignored file in a tracked directory that becomes a file blocks the move', async () => {
  const replace = (path: string) => {
    rmSync(join(path, 'd'), { recursive: true });
    writeFiles(path, { d: 'a file\n' });
  };
  const { repository, place, move, temporaryRoot } = makeCheckout(replace, { 'd/tracked.txt': 't\n' });
  expect(await findBlockers(git, place, move, temporaryRoot)).toEqual([]);
  mkdirSync(join(repository, 'd/empty'));
  expect(await findBlockers(git, place, move, temporaryRoot)).toEqual([]);
  writeFiles(repository, { 'd/x.log': 'mine\n' });
  expect(await findBlockers(git, place, move, temporaryRoot)).toEqual(['d/x.log']);
});

test.each(flavours('--assume-unchanged', '--skip-worktree'))(
  'an edit hidden by %s blocks only a change to its file',
  async flag => {
    const { repository, place, move, run, temporaryRoot } = makeCheckout(editA);
    run('update-index', flag, 'a.txt', 'b.txt');
    writeFiles(repository, { 'b.txt': 'mine\n' });
    expect(await findBlockers(git, place, move, temporaryRoot)).toEqual([]);
    writeFiles(repository, { 'a.txt': 'mine\n' });
    const found = await expectUnwritten(repository, () => findBlockers(git, place, move, temporaryRoot));
    expect(found).toContain('a.txt');
  },
);

test('git itself refuses files edited after the check, before it writes anything', async () => {
  const { repository, place, move } = makeCheckout(path =>
    writeFiles(path, { 'a.txt': 'A\n', 'b.txt': 'B\n' }),
  );
  writeFiles(repository, { 'b.txt': 'mine\n' });
  await expectUnwritten(repository, () =>
    expect(moveCheckout(git, place, move)).rejects.toMatchObject({ code: 'GIT_FAILED' }),
  );
});

test('a sparse checkout stays sparse', async () => {
  const { repository, place, move, run, temporaryRoot } = makeCheckout(
    path =>
      writeFiles(path, {
        'in/a.txt': 'IN\n',
        'out/a.txt': 'OUT\n',
        'out/new.txt': 'new\n',
        'in/new.txt': 'new\n',
      }),
    { 'in/a.txt': 'in\n', 'out/a.txt': 'out\n' },
  );
  run('sparse-checkout', 'set', '--cone', 'in');
  expect(await checkoutState(git, place, move.from)).toEqual({ clean: true, dirty: [] });
  expect(await findBlockers(git, place, move, temporaryRoot)).toEqual([]);
  await moveCheckout(git, place, move);
  run('update-ref', 'refs/heads/main', move.to);
  expect(run('status', '--porcelain')).toBe('');
  expect(read(repository, 'in/a.txt')).toBe('IN\n');
  expect(existsSync(join(repository, 'out'))).toBe(false);
});

test('no hook runs', async () => {
  const { repository, place, move } = makeCheckout(editA);
  for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction']) {
    writeFileSync(join(repository, '.git/hooks', hook), `#!/bin/sh\ntouch '${repository}/ran'\n`, {
      mode: 0o755,
    });
  }
  await moveCheckout(git, place, move);
  expect(read(repository, 'a.txt')).toBe('A\n');
  expect(existsSync(join(repository, 'ran'))).toBe(false);
});

const manyChanges = (path: string) => {
  writeFiles(path, { 'a.txt': 'A\n', 'b.txt': 'B\n', 'new.txt': 'new\n', 'other.txt': 'other\n' });
  rmSync(join(path, 'gone.txt'));
  rmSync(join(path, 'gone-too.txt'));
};
const goneFiles = { 'gone.txt': 'g\n', 'gone-too.txt': 'g\n' };

/** The state after git is killed in the middle: files at `to`, the index at `from`. */
function interrupt(repository: string): void {
  writeFiles(repository, { 'a.txt': 'A\n', 'new.txt': 'new\n' });
  rmSync(join(repository, 'gone.txt'));
}

test.each(flavours('forward', 'back'))('an interrupted move is finished %s', async direction => {
  const { repository, place, move, run, temporaryRoot } = makeCheckout(manyChanges, goneFiles);
  interrupt(repository);
  const wanted = direction === 'forward' ? move : { from: move.to, to: move.from };
  expect(await finishCheckoutMove(git, place, wanted, temporaryRoot)).toBe(true);
  run('update-ref', 'refs/heads/main', wanted.to);
  expect(run('status', '--porcelain')).toBe('');
  expect(await finishCheckoutMove(git, place, wanted, temporaryRoot)).toBe(true);
});

test('a finished move is left alone', async () => {
  const { repository, place, move, temporaryRoot } = makeCheckout(manyChanges, goneFiles);
  await moveCheckout(git, place, move);
  const settled = await expectUnwritten(repository, () =>
    finishCheckoutMove(git, place, move, temporaryRoot),
  );
  expect(settled).toBe(true);
});

const EDITS: readonly (readonly [string, (repository: string) => void])[] = [
  ['an edit of a file in the change', (repository: string) => writeFiles(repository, { 'b.txt': 'mine\n' })],
  ['an edit of another file', (repository: string) => writeFiles(repository, { '.gitignore': 'mine\n' })],
  ['an untracked file in the way', (repository: string) => writeFiles(repository, { 'other.txt': 'mine\n' })],
  [
    'a staged file',
    (repository: string) => {
      writeFiles(repository, { 'b.txt': 'mine\n' });
      plainGit(repository, 'add', 'b.txt');
    },
  ],
  ['a held lock', (repository: string) => writeFileSync(join(repository, '.git/index.lock'), '')],
];

test.each(oneInSix(EDITS))('an interrupted move is left alone after %s', async (_, change) => {
  const { repository, place, move, temporaryRoot } = makeCheckout(manyChanges, goneFiles);
  interrupt(repository);
  change(repository);
  const settled = await expectUnwritten(repository, () =>
    finishCheckoutMove(git, place, move, temporaryRoot),
  );
  expect(settled).toBe(false);
});

test('an interrupted move in a sparse checkout is finished', async () => {
  const { repository, place, move, run, temporaryRoot } = makeCheckout(
    path => writeFiles(path, { 'in/a.txt': 'IN\n', 'in/b.txt': 'IN\n', 'out/a.txt': 'OUT\n' }),
    { 'in/a.txt': 'in\n', 'in/b.txt': 'in\n', 'out/a.txt': 'out\n' },
  );
  run('sparse-checkout', 'set', '--cone', 'in');
  writeFiles(repository, { 'in/a.txt': 'IN\n' });
  expect(await finishCheckoutMove(git, place, move, temporaryRoot)).toBe(true);
  run('update-ref', 'refs/heads/main', move.to);
  expect(run('status', '--porcelain')).toBe('');
  expect(existsSync(join(repository, 'out'))).toBe(false);
});

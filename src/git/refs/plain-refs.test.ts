import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { isPlainlyFree, isPlainTip, listPlainRefs, readPlainHead, readPlainRef } from './plain-refs.js';

/** As they are after `git branch`, after `git pack-refs`, and after a change since. */
const forms = {
  loose: () => {},
  packed: (repository: string) => git(repository, 'pack-refs', '--all'),
  'packed, then changed': (repository: string) => {
    git(repository, 'pack-refs', '--all');
    git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'second');
    git(repository, 'branch', 'deep/new');
  },
};

const PATTERNS = ['refs/heads/main', 'refs/heads/deep', 'refs/heads/none', 'refs/carrel', 'refs/remotes'];

test.each(Object.entries(forms))('lists and finds what git does when refs are %s', (_, bringAbout) => {
  const repository = makeRepository();
  for (const branch of ['deep/er', 'deep/er2', 'deeper']) git(repository, 'branch', branch);
  git(repository, 'update-ref', 'refs/carrel/workspaces/ws_1/kept', 'HEAD');
  git(repository, 'tag', '-a', '-m', 'a tag', 'v1');
  bringAbout(repository);
  const expected = git(repository, 'for-each-ref', '--format=%(refname) %(objectname)', ...PATTERNS);
  const found = listPlainRefs(join(repository, '.git'), PATTERNS) ?? [];
  expect(found.map(({ ref, id }) => `${ref} ${id}`).join('\n')).toBe(expected);
  const main = git(repository, 'rev-parse', 'refs/heads/main');
  expect(readPlainRef(join(repository, '.git'), 'refs/heads/main')).toBe(main);
  expect(readPlainRef(join(repository, '.git'), 'refs/heads/deep')).toBeNull();
});

test('all branches are listed; what a remote has is left to git, because it may be a tag', () => {
  const repository = makeRepository();
  const gitDir = join(repository, '.git');
  git(repository, 'branch', 'deep/er');
  const listed = listPlainRefs(gitDir, ['refs/heads', 'refs/remotes']);
  expect(listed?.map(({ ref }) => ref)).toEqual(['refs/heads/deep/er', 'refs/heads/main']);
  git(repository, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
  expect(listPlainRefs(gitDir, ['refs/heads', 'refs/remotes'])).toBeUndefined();
  git(repository, 'pack-refs', '--all');
  expect(listPlainRefs(gitDir, ['refs/remotes/origin'])).toBeUndefined();
  expect(listPlainRefs(gitDir, ['refs/remotes/other'])).toEqual([]);
});

test.each(Object.entries(forms))('knows which names are free when refs are %s', (_, bringAbout) => {
  const repository = makeRepository();
  git(repository, 'branch', 'deep/er');
  bringAbout(repository);
  for (const free of ['new', 'new/er', 'deep/newer', 'mai', 'main2'])
    expect(isPlainlyFree(join(repository, '.git'), `refs/heads/${free}`), free).toBe(true);
  for (const taken of ['main', 'deep', 'deep/er', 'main/sub', 'deep/er/sub'])
    expect(isPlainlyFree(join(repository, '.git'), `refs/heads/${taken}`), taken).toBeUndefined();
});

test('a linked worktree has its own HEAD and the refs of the repository', () => {
  const repository = makeRepository();
  const path = join(tempDir(), 'linked');
  git(repository, 'worktree', 'add', '--quiet', '-b', 'topic', path);
  const gitDir = git(path, 'rev-parse', '--absolute-git-dir');
  expect(readPlainHead(gitDir)).toEqual({ ref: 'refs/heads/topic' });
  expect(readPlainRef(gitDir, 'refs/heads/main')).toBe(git(repository, 'rev-parse', 'main'));
  git(path, 'switch', '--quiet', '--detach');
  expect(readPlainHead(gitDir)).toEqual({ id: git(path, 'rev-parse', 'HEAD') });
});

/** How each makes the files inconclusive for `refs/heads/odd`. */
const inconclusive: Record<string, (gitDir: string, id: string) => void> = {
  'a symbolic ref': gitDir => writeFileSync(join(gitDir, 'refs/heads/odd'), 'ref: refs/heads/main\n'),
  'a damaged ref': gitDir => writeFileSync(join(gitDir, 'refs/heads/odd'), 'junk\n'),
  'a ref that is empty after a power cut': gitDir => writeFileSync(join(gitDir, 'refs/heads/odd'), ''),
  'a link': gitDir => symlinkSync('main', join(gitDir, 'refs/heads/odd')),
  'a name that git refuses': gitDir => {
    mkdirSync(join(gitDir, 'refs/heads/odd'));
    writeFileSync(join(gitDir, 'refs/heads/odd/a..b'), '');
  },
  'a very long list of packed refs': (gitDir, id) => {
    const lines = Array.from({ length: 6000 }, (_, index) => `${id} refs/tags/v${index}\n`);
    writeFileSync(join(gitDir, 'packed-refs'), lines.join(''));
  },
  'refs in tables': gitDir => {
    rmSync(join(gitDir, 'refs/heads'), { recursive: true });
    writeFileSync(join(gitDir, 'refs/heads'), 'this repository uses the reftable format\n');
  },
};

test.each(Object.entries(inconclusive))('%s is left to git', (_, bringAbout) => {
  const repository = makeRepository();
  const gitDir = join(repository, '.git');
  bringAbout(gitDir, git(repository, 'rev-parse', 'HEAD'));
  expect(readPlainRef(gitDir, 'refs/heads/odd')).toBeUndefined();
  expect(isPlainlyFree(gitDir, 'refs/heads/odd')).toBeUndefined();
});

test('tags, refs of one worktree and patterns are left to git', () => {
  const gitDir = join(makeRepository(), '.git');
  for (const name of ['refs/tags/v1', 'refs/bisect/bad', 'refs/worktree/x', 'refs/heads/*', 'HEAD', 'main'])
    expect(listPlainRefs(gitDir, [name]), name).toBeUndefined();
});

test.each(['ref: refs/heads/.invalid\n', 'ref: refs/other/x\n', 'ref: refs/heads/a b\n', '', 'junk'])(
  'a HEAD with %j is left to git',
  text => {
    const gitDir = join(makeRepository(), '.git');
    writeFileSync(join(gitDir, 'HEAD'), text);
    expect(readPlainHead(gitDir)).toBeUndefined();
  },
);

test('the tip of another branch is found, the own branch and older commits are not', () => {
  const repository = makeRepository();
  const gitDir = join(repository, '.git');
  const first = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'branch', 'deep/own');
  expect(isPlainTip(gitDir, first, ['refs/heads/deep/own'])).toBe(true);
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'second');
  expect(isPlainTip(gitDir, first, ['refs/heads/deep/own'])).toBeUndefined();
  expect(isPlainTip(gitDir, first, [])).toBe(true);
});

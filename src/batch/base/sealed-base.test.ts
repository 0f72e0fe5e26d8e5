import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { type App, openApp } from '../../app.js';
import type { EvalBase } from '../../domain/batch/eval-item.js';
import { sealBase } from './sealed-base.js';

const FILES = {
  'run.sh': '#!/bin/sh\n',
  'deep/er/text.txt': 'one\r\n',
  'ignored.log': 'log',
  '.gitignore': '*.log\n',
};
const GIVEN: EvalBase = { kind: 'files', files: FILES, executable: ['run.sh'] };

async function openTestApp(): Promise<App> {
  const { env, home } = createCarrel();
  const app = await openApp({ environment: env, cwd: home });
  onTestFinished(() => app.close());
  return app;
}

const listEverything = (directory: string): string =>
  git(directory, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype)');

test('the same files give the same commit: inline, from a directory or from a repository', async () => {
  const app = await openTestApp();
  const directory = tempDir();
  writeFiles(directory, FILES);
  chmodSync(join(directory, 'run.sh'), 0o755);
  const repository = makeRepository({ 'before.txt': 'history\n' });
  git(repository, 'rm', '--quiet', 'before.txt');
  writeFiles(repository, FILES);
  chmodSync(join(repository, 'run.sh'), 0o755);
  git(repository, 'add', '--force', 'ignored.log');
  const commit = commitFiles(repository, {});
  const future = commitFiles(repository, { 'answer.txt': 'later\n' });
  const bases: EvalBase[] = [
    GIVEN,
    { kind: 'directory', directory },
    { kind: 'git', url: repository, commit },
    { kind: 'git', url: `file://${repository}`, commit },
  ];
  const sealed = await Promise.all(bases.map(base => sealBase(app, base)));
  expect(new Set(sealed.map(each => each.commit)).size).toBe(1);
  for (const { directory: place } of sealed) {
    expect(git(place, 'ls-tree', '-r', '--format=%(objectmode) %(path)', 'main').split('\n')).toEqual([
      '100644 .gitignore',
      '100644 deep/er/text.txt',
      '100644 ignored.log',
      '100755 run.sh',
    ]);
    expect(git(place, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(git(place, 'rev-list', '--all', '--count')).toBe('1');
    expect(listEverything(place).split('\n').sort().join(' ')).toBe(
      'blob blob blob blob commit tree tree tree',
    );
  }
  const mirrors = join(app.places.cacheDir, 'eval/mirrors');
  for (const name of readdirSync(mirrors))
    expect(() => git(join(mirrors, name), 'cat-file', '-e', future)).toThrow();
});

test('a base is reused, and rebuilt when anything in it changed', async () => {
  const app = await openTestApp();
  const [first, second] = await Promise.all([sealBase(app, GIVEN), sealBase(app, GIVEN)]);
  expect(second).toEqual(first);
  expect(await sealBase(app, GIVEN)).toEqual(first);
  git(first.directory, 'tag', 'answer', 'main');
  writeFileSync(join(first.gitDir, 'config'), '[core]\n\tfsmonitor = touch /tmp/no\n');
  expect(await sealBase(app, GIVEN)).toEqual(first);
  expect(git(first.directory, 'tag')).toBe('');
  git(first.directory, 'hash-object', '-w', '--', join(first.directory, 'sealed.json'));
  await sealBase(app, GIVEN);
  expect(listEverything(first.directory).split('\n')).toHaveLength(8);
  expect(readdirSync(join(app.places.cacheDir, 'eval')).sort()).toEqual([
    'bases',
    'desks',
    'kept',
    'mirrors',
  ]);
});

thoroughTest(
  'branches and tags of a repository are followed, links are kept and submodules are not entered',
  async () => {
    const app = await openTestApp();
    const inner = makeRepository();
    const repository = makeRepository({ 'a.txt': 'a\n' });
    git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'module');
    symlinkSync('/etc/passwd', join(repository, 'link'));
    commitFiles(repository, {});
    git(repository, 'tag', '-a', 'v1', '-m', 'one');
    const seal = (commit: string) => sealBase(app, { kind: 'git', url: repository, commit });
    const tagged = await seal('v1');
    expect(git(tagged.directory, 'ls-tree', '--format=%(objectmode) %(path)', 'main')).toBe(
      '100644 .gitmodules\n100644 a.txt\n120000 link\n160000 module',
    );
    expect((await seal('main')).commit).toBe(tagged.commit);
    commitFiles(repository, { 'a.txt': 'moved on\n' });
    const moved = await seal('main');
    expect(git(moved.directory, 'show', 'main:a.txt')).toBe('moved on');
    expect((await seal('v1')).commit).toBe(tagged.commit);
  },
);

test.each<[string, EvalBase]>([
  ['a commit that is not there', { kind: 'git', url: '/nonexistent', commit: 'a'.repeat(40) }],
  ['a url that is an option', { kind: 'git', url: '--upload-pack=touch', commit: 'main' }],
  ['a url that runs a program', { kind: 'git', url: 'ext::sh -c touch', commit: 'main' }],
  ['a host that is an option', { kind: 'git', url: 'ssh://-oProxyCommand=touch/x', commit: 'main' }],
  ['a commit that is an option', { kind: 'git', url: '/nonexistent', commit: '--all' }],
  ['a commit that is a pattern', { kind: 'git', url: '/nonexistent', commit: 'refs/*' }],
  ['a directory that is not there', { kind: 'directory', directory: '/nonexistent' }],
  ['a file in a git directory', { kind: 'files', files: { 'a/.git/config': '' } }],
])('%s gives a reason', async (_, base) => {
  const app = await openTestApp();
  await expect(sealBase(app, base)).rejects.toMatchObject({ code: 'BASE_UNAVAILABLE' });
});

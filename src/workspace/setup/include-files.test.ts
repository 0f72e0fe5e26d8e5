import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint, hashTree } from '../../../test/helpers/fingerprint.js';
import { gitEnv, makeRepository, git as plainGit, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { hashListing } from '../../git/files/listing-hash.js';
import { createGit, type Git } from '../../git/git.js';
import { readWorkTreeState } from '../../git/work-tree/work-tree-state.js';
import { includeFiles } from './include-files.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function include(repositoryRoot: string, destination: string, patterns: string[] = [], with_: Git = git) {
  return includeFiles(with_, {
    repositoryRoot,
    commonDir: join(repositoryRoot, '.git'),
    patterns,
    destination,
  });
}

test('ignored files that .worktreeinclude or a pattern names are copied, and only those', async () => {
  const repository = makeRepository({
    '.gitignore': '.env*\n/config/\n*.key\n',
    '.worktreeinclude': '# secrets\n.env*\n!.env.example\nREADME.md\nloose.txt\n',
    'README.md': 'tracked\n',
  });
  const files = {
    '.env': 'A=1\n',
    '.env.example': 'no',
    'web/.env.local': 'B=2\n',
    'config/a.key': 'k',
    'config/b': 'no',
  };
  writeFiles(repository, { ...files, 'loose.txt': 'untracked but not ignored' });
  const before = fingerprint(repository);
  const destination = tempDir();
  const result = await include(repository, destination, ['config/*.key']);
  expect(result).toEqual({
    files: [
      { path: '.env', sha256: sha256('A=1\n') },
      { path: 'config/a.key', sha256: sha256('k') },
      { path: 'web/.env.local', sha256: sha256('B=2\n') },
    ],
    warnings: [],
  });
  expect(readFileSync(join(destination, 'web/.env.local'), 'utf8')).toBe('B=2\n');
  expect(existsSync(join(destination, '.env.example'))).toBe(false);
  expect(existsSync(join(destination, 'loose.txt'))).toBe(false);
  expect(fingerprint(repository)).toEqual(before);
});

test('a negated pattern overrides the file', async () => {
  const repository = makeRepository({ '.gitignore': '.env*\n', '.worktreeinclude': '.env*\n' });
  writeFiles(repository, { '.env': '1', '.env.local': '2' });
  const { files } = await include(repository, tempDir(), ['!.env.local']);
  expect(files.map(file => file.path)).toEqual(['.env']);
});

test('without patterns git is not called', async () => {
  const refuse = () => Promise.reject(new Error('called'));
  const never: Git = { run: refuse, text: refuse, records: refuse, succeeds: refuse };
  expect(await include(makeRepository(), tempDir(), ['', '  '], never)).toEqual({ files: [], warnings: [] });
});

test('modes and symbolic links are kept', async () => {
  const repository = makeRepository({ '.gitignore': 'local/\n' });
  writeFiles(repository, { 'local/run.sh': '#!/bin/sh\n', 'local/secret': 's' });
  chmodSync(join(repository, 'local/run.sh'), 0o755);
  chmodSync(join(repository, 'local/secret'), 0o400);
  symlinkSync('/nonexistent/é', join(repository, 'local/link'));
  const destination = tempDir();
  const { files, warnings } = await include(repository, destination, ['local/']);
  expect(warnings).toEqual([]);
  expect(files.find(file => file.path === 'local/link')?.sha256).toBe(sha256('/nonexistent/é'));
  expect(lstatSync(join(destination, 'local/run.sh')).mode & 0o777).toBe(0o755);
  expect(lstatSync(join(destination, 'local/secret')).mode & 0o777).toBe(0o400);
  expect(readlinkSync(join(destination, 'local/link'))).toBe('/nonexistent/é');
});

test('odd names survive, byte for byte', async () => {
  const repository = makeRepository({ '.gitignore': 'odd/\n' });
  const names = ['odd/:(top)x', 'odd/ space ', 'odd/new\nline', 'odd/-rf', 'odd/*', 'odd/\xff\xfe'];
  mkdirSync(join(repository, 'odd'));
  const at = (root: string, name: string) =>
    Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, 'latin1')]);
  for (const name of names) writeFileSync(at(repository, name), name);
  const destination = tempDir();
  const { files, warnings } = await include(repository, destination, ['odd/']);
  expect(warnings).toEqual([]);
  expect(files.map(file => file.path).sort()).toEqual([...names].sort());
  for (const name of names) expect(readFileSync(at(destination, name), 'utf8')).toBe(name);
});

test('a name that begins with a colon is a plain name', async () => {
  const repository = makeRepository({ '.gitignore': '*.env\n' });
  writeFiles(repository, { ':!x.env': '1', ':(exclude)y.env': '2' });
  const { files } = await include(repository, tempDir(), ['*.env']);
  expect(files.map(file => file.path)).toEqual([':!x.env', ':(exclude)y.env']);
});

test('existing files are kept', async () => {
  const repository = makeRepository({ '.gitignore': '.env\n' });
  writeFiles(repository, { '.env': 'theirs' });
  const destination = tempDir();
  writeFiles(destination, { '.env': 'ours' });
  const { files, warnings } = await include(repository, destination, ['.env']);
  expect(files).toEqual([]);
  expect(warnings).toEqual(['.env was not copied: a file with that name already exists']);
  expect(readFileSync(join(destination, '.env'), 'utf8')).toBe('ours');
});

test('nothing is written through a symbolic link in the workspace', async () => {
  const repository = makeRepository({ '.gitignore': '.env\n' });
  writeFiles(repository, { 'web/.env': 'secret', 'api/.env': 'secret' });
  const [destination, elsewhere] = [tempDir(), tempDir()];
  symlinkSync(elsewhere, join(destination, 'web'));
  writeFileSync(join(destination, 'api'), 'a file');
  const { files, warnings } = await include(repository, destination, ['.env']);
  expect(files).toEqual([]);
  expect(warnings).toEqual([
    'api/.env was not copied: api is not a directory in the workspace',
    'web/.env was not copied: web is not a directory in the workspace',
  ]);
  expect(existsSync(join(elsewhere, '.env'))).toBe(false);
});

test('nothing is read through a symbolic link in the repository', async () => {
  const repository = makeRepository({ '.gitignore': 'local\n.env\n' });
  const elsewhere = tempDir();
  writeFiles(elsewhere, { '.env': 'secret' });
  symlinkSync(elsewhere, join(repository, 'local'));
  const destination = tempDir();
  const { files } = await include(repository, destination, ['local', '.env', 'local/.env']);
  expect(files.map(file => file.path)).toEqual(['local']);
  expect(lstatSync(join(destination, 'local')).isSymbolicLink()).toBe(true);
});

test('pipes and repositories inside the repository are left out with a warning', async () => {
  const repository = makeRepository({ '.gitignore': 'local/\nvendor/\n' });
  mkdirSync(join(repository, 'local'));
  execFileSync('mkfifo', [join(repository, 'local/pipe')]);
  makeRepository({ '.env': 'theirs' }, join(repository, 'vendor/lib'));
  const { files, warnings } = await include(repository, tempDir(), ['local/', 'vendor/', '.env']);
  expect(files).toEqual([]);
  // git does not list pipes at all; a repository it lists as a directory.
  expect(warnings).toEqual(['vendor/lib/ was not copied: it is a separate repository']);
});

test('of a directory that git ignores, only files that match the patterns are copied', async () => {
  const repository = makeRepository({ '.gitignore': '/data/\n' });
  writeFiles(repository, { 'data/a': '1', 'data/secret': '2', 'data/deep/b': '3' });
  const { files } = await include(repository, tempDir(), ['/data/*', '!/data/secret']);
  expect(files.map(file => file.path)).toEqual(['data/a', 'data/deep/b']);
});

test('of a directory that a pattern names, only files that git ignores are copied', async () => {
  const repository = makeRepository({ '.gitignore': '/data/*\n!/data/kept\n' });
  writeFiles(repository, { 'data/a': '1', 'data/kept': '2', 'data/deep/b': '3' });
  const { files } = await include(repository, tempDir(), ['/data/']);
  expect(files.map(file => file.path)).toEqual(['data/a', 'data/deep/b']);
});

const MANY = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`data/${n % 9}/${n}.txt`, `${n}\n`]));

test('a directory of very many files is copied as a whole, with its modes and times', async () => {
  const repository = makeRepository({ '.gitignore': '/data/\n' });
  writeFiles(repository, MANY);
  mkdirSync(join(repository, 'data/empty'), { mode: 0o700 });
  symlinkSync('0/0.txt', join(repository, 'data/link'));
  lutimesSync(join(repository, 'data/1/1.txt'), 1e9, 1e9);
  chmodSync(join(repository, 'data/2'), 0o555);
  makeRepository({ x: 'theirs' }, join(repository, 'data/lib'));
  const before = fingerprint(repository);
  const destination = tempDir();
  const { files, warnings } = await include(repository, destination, ['/data/']);
  expect(files).toEqual([{ path: 'data/', sha256: await hashListing(destination, 'data') }]);
  expect(warnings).toEqual(['data/lib/ was not copied: it is a separate repository']);
  expect(fingerprint(repository)).toEqual(before);
  rmSync(join(repository, 'data/lib'), { recursive: true });
  expect(hashTree(join(destination, 'data'))).toBe(hashTree(join(repository, 'data')));
  expect(lstatSync(join(destination, 'data/1/1.txt')).mtimeMs).toBe(1e12);
});

test('an existing directory keeps its files, and copied files are recorded one by one', async () => {
  const repository = makeRepository({ '.gitignore': '/data/\n' });
  writeFiles(repository, MANY);
  const destination = tempDir();
  writeFiles(destination, { 'data/0/0.txt': 'ours', 'data/1': 'a file' });
  const { files, warnings } = await include(repository, destination, ['/data/']);
  expect(warnings).toEqual([
    'data/1/ was not copied: data/1 is not a directory in the workspace',
    'data/0/0.txt was not copied: a file with that name already exists',
  ]);
  expect(readFileSync(join(destination, 'data/0/0.txt'), 'utf8')).toBe('ours');
  expect(files).toHaveLength(300 - 1 - Object.keys(MANY).filter(name => name.startsWith('data/1/')).length);
});

test('a copied directory does not count as work until something in it changes', async () => {
  const repository = makeRepository({ '.gitignore': '/data/\n' });
  writeFiles(repository, MANY);
  const workTree = join(tempDir(), 'desk');
  plainGit(repository, 'worktree', 'add', '--quiet', workTree);
  const { files: included } = await include(repository, workTree, ['/data/']);
  const gitDir = plainGit(workTree, 'rev-parse', '--absolute-git-dir');
  const place = { gitDir, workTree, commonDir: join(repository, '.git') };
  const limits = { ignoredBytes: 1e9, regenerable: [] };
  const look = () => readWorkTreeState(git, place, { limits, included, temporaryRoot: tempDir() });
  expect((await look()).ignored.taken).toEqual([]);
  const file = join(workTree, 'data/1/1.txt');
  const { atime, mtime } = lstatSync(file);
  writeFileSync(file, 'x\n');
  lutimesSync(file, atime, mtime);
  expect((await look()).ignored.taken).toContain('data/1/1.txt');
});

import { lutimesSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../../test/helpers/fingerprint.js';
import { oneInSix, thoroughTest } from '../../../../test/helpers/flavours.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { mountImage } from '../../../../test/helpers/machine/file-system-image.js';
import {
  commitFiles,
  makeRepository,
  git as plainGit,
  writeFiles,
} from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { writePrivateGit } from '../../../git/repository/private-git.js';
import { create, describeWorkspace } from '../../contract/backend-subject.js';
import { readTree, writeTree } from '../../contract/file-tree.js';
import { ensureTemplate } from '../../template/template-tree.js';
import { createGitBackend } from '../backend.js';

/** Enough for cloning to pay off. */
const MANY = Object.fromEntries(
  Array.from({ length: 600 }, (_, n) => [`src/${n % 7}/${n}.txt`, `content of file ${n}\n`]),
);

function makeSource(
  disk: string,
  files: Record<string, string> = {},
  settings: readonly string[] = [],
): string {
  const source = join(disk, 'source');
  mkdirSync(source);
  plainGit(source, 'init', '--quiet', '--initial-branch=main');
  for (const setting of settings) plainGit(source, 'config', ...(setting.split('=') as [string, string]));
  writeFiles(source, { ...MANY, ...files });
  settle(source);
  commitFiles(source, {});
  return source;
}

/** Files from long ago, as in a checkout that has been there for a while. */
function settle(source: string): void {
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    name => !name.startsWith('.git/'),
  ))
    lutimesSync(join(source, name), 1e9, 1e9);
}

/** Makes a workspace of the source, and an ordinary worktree to compare it with. */
async function populate(source: string, { base = 'HEAD', at = dirname(source) } = {}) {
  const git = testGit();
  const backend = createGitBackend({ git, temporaryRoot: tempDir(), keptDir: tempDir() });
  const path = join(at, 'worktrees', 'source', 'desk');
  const repository = await backend.locate(source);
  const place = { backend, git, source, path, scratch: tempDir() };
  const commit = plainGit(source, 'rev-parse', base);
  const record = { ...(await describeWorkspace(place, repository, 'x')), base: { ref: base, commit } };
  const before = fingerprint(source);
  const { population } = await create({ backend, record });
  expect(fingerprint(source)).toEqual(before);
  return { path, population, record, backend };
}

function checkOutPlainly(source: string, base = 'HEAD'): string {
  const path = join(tempDir(), 'ordinary');
  plainGit(source, 'worktree', 'add', '--quiet', '--detach', path, base);
  return path;
}

/** The same files as git's own checkout, and a clean status. */
function expectOrdinary(source: string, path: string, base?: string): void {
  const ordinary = checkOutPlainly(source, base);
  expect(readTree(path)).toEqual(readTree(ordinary));
  expect(plainGit(path, 'status', '--porcelain', '--ignored')).toBe('');
  expect(plainGit(path, 'ls-files', '-v').replaceAll(/^H .*\n?/gm, '')).toBe('');
  expect(plainGit(path, 'ls-files', '--stage')).toBe(plainGit(ordinary, 'ls-files', '--stage'));
}

const REFLINK = { way: 'reflink', reason: null };

test("the user's clean checkout is cloned, and git has nothing left to do", async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  const { path, population } = await populate(source);
  expect(population).toEqual(REFLINK);
  expectOrdinary(source, path);
});

thoroughTest("the user's changes are not cloned", async context => {
  const source = makeSource(mountImage(context, 'xfs'), {
    'a.txt': 'one\n',
    'hidden.txt': '1',
    'gone.txt': 'g',
    '.gitignore': '.env\n',
  });
  plainGit(source, 'update-index', '--assume-unchanged', 'hidden.txt');
  plainGit(source, 'update-index', '--skip-worktree', 'src/0/0.txt');
  writeTree(source, {
    'a.txt': 'eno\n',
    'hidden.txt': '2',
    'gone.txt': null,
    '.env': 'secret',
    'untracked.txt': 'u',
    'staged.txt': 's',
    'intended.txt': 'i',
    'src/1/1.txt': { target: '../0/0.txt' },
  });
  plainGit(source, 'add', 'staged.txt');
  plainGit(source, 'add', '--intent-to-add', 'intended.txt');
  const { path, population } = await populate(source);
  expect(population).toEqual(REFLINK);
  expectOrdinary(source, path);
});

thoroughTest('a checkout with conflicts is a source for everything else', async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  plainGit(source, 'switch', '--quiet', '--create', 'other');
  commitFiles(source, { 'src/0/0.txt': 'theirs\n' });
  plainGit(source, 'switch', '--quiet', 'main');
  commitFiles(source, { 'src/0/0.txt': 'ours\n' });
  expect(() => plainGit(source, 'merge', 'other')).toThrow();
  const { path, population } = await populate(source);
  expect(population).toEqual(REFLINK);
  expectOrdinary(source, path);
});

thoroughTest(
  'a base that differs from the checkout in some files is completed by git checkout',
  async context => {
    const source = makeSource(mountImage(context, 'btrfs'), { 'gone/later.txt': 'x' });
    commitFiles(source, { 'src/0/0.txt': 'changed\n', 'new/dir/n.txt': 'n' });
    plainGit(source, 'rm', '--quiet', 'gone/later.txt');
    commitFiles(source, {});
    const { path, population } = await populate(source, { base: 'HEAD~2' });
    expect(population).toEqual(REFLINK);
    expectOrdinary(source, path, 'HEAD~2');
  },
);

thoroughTest('files written in the last second are not trusted, so git writes them', async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  writeFiles(source, MANY);
  plainGit(source, 'add', '--all');
  // Of the same size, in the same second: only the content differs.
  writeFiles(source, { 'src/0/0.txt': 'CONTENT of file 0\n' });
  const { path } = await populate(source);
  expectOrdinary(source, path);
});

const CONVERSIONS: Record<string, Record<string, string>> = {
  'another line ending': { '.gitattributes': '*.bat eol=crlf\n', 'run.bat': 'one\ntwo\n' },
  'a mix of line endings': { '.gitattributes': '* text=auto\n', 'crlf.txt': 'one\r\ntwo\r\n' },
  'a name that git fills in': { '.gitattributes': '*.id ident\n', 'x.id': '$Id$\n' },
  'an encoding': { '.gitattributes': '*.latin working-tree-encoding=ISO-8859-1\n', 'x.latin': 'plain' },
  'a filter': { '.gitattributes': '*.up filter=up\n', 'x.up': 'SHOUTED' },
};

for (const [what, files] of oneInSix(Object.entries(CONVERSIONS))) {
  test(`${what} is written by git, as in any checkout`, async context => {
    const filter = ['filter.up.clean=tr A-Z a-z', 'filter.up.smudge=tr a-z A-Z'];
    const source = makeSource(mountImage(context, 'btrfs'), files, filter);
    const { path, population } = await populate(source);
    expect(population).toEqual(REFLINK);
    expectOrdinary(source, path);
  });
}

thoroughTest('a conversion that was turned off later is detected by the file size', async context => {
  const source = makeSource(mountImage(context, 'btrfs'), { 'crlf.txt': 'one\r\ntwo\r\n' }, [
    'core.autocrlf=input',
  ]);
  plainGit(source, 'config', '--unset', 'core.autocrlf');
  const { path, population } = await populate(source);
  expect(population).toEqual(REFLINK);
  expectOrdinary(source, path);
});

thoroughTest('missing or different attributes in the base make git write everything', async context => {
  const source = makeSource(mountImage(context, 'btrfs'), { 'x.bat': 'one\n' });
  commitFiles(source, { 'src/.gitattributes': '*.bat eol=crlf\n' });
  const { path, population } = await populate(source, { base: 'HEAD~1' });
  expect(population).toEqual({ way: 'checkout', reason: 'no checkout has most of the files' });
  expectOrdinary(source, path, 'HEAD~1');
});

thoroughTest('with line endings converted everywhere, git writes everything', async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  plainGit(source, 'config', 'core.autocrlf', 'true');
  const { path, population } = await populate(source);
  expect(population).toEqual({ way: 'checkout', reason: 'core.autocrlf changes line endings' });
  expectOrdinary(source, path);
});

thoroughTest('a sparse checkout is made by git', async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  plainGit(source, 'sparse-checkout', 'set', 'src/1');
  const { path, population } = await populate(source);
  expect(population).toEqual({ way: 'checkout', reason: 'the checkout is sparse' });
  expect(readTree(path)).toEqual(readTree(checkOutPlainly(source)));
});

thoroughTest('a submodule is an empty directory', async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  const commit = plainGit(source, 'rev-parse', 'HEAD');
  plainGit(source, 'update-index', '--add', '--cacheinfo', `160000,${commit},lib/sub`);
  plainGit(source, 'commit', '--quiet', '-m', 'submodule');
  const { path, population } = await populate(source);
  expect(population).toEqual(REFLINK);
  expect(readTree(path)).toEqual(readTree(checkOutPlainly(source)));
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
});

thoroughTest("a template is cloned when the user's checkout is at another commit", async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  const base = plainGit(source, 'rev-parse', 'HEAD');
  commitFiles(source, Object.fromEntries(Object.keys(MANY).map(name => [name, 'all new\n'])));
  const plain = await populate(source, { base });
  expect(plain.population).toEqual({ way: 'checkout', reason: 'no checkout has most of the files' });
  await plain.backend.undoCreate(plain.record);
  const { repository, repositoryId, commonDir } = plain.record;
  const root = dirname(dirname(plain.path));
  const request = { root, repositoryId, repository, commonDir: commonDir as string, commit: base };
  await ensureTemplate(testGit(), request);
  const { path, population } = await populate(source, { base });
  expect(population).toEqual(REFLINK);
  expectOrdinary(source, path, base);
});

thoroughTest('between two file systems git writes everything', async context => {
  const source = makeSource(mountImage(context, 'btrfs'));
  const { path, population } = await populate(source, { at: tempDir() });
  expect(population).toEqual({ way: 'checkout', reason: 'the file system cannot share blocks' });
  expectOrdinary(source, path);
});

test('few files are checked out', async context => {
  const source = join(mountImage(context, 'btrfs'), 'source');
  makeRepository({ 'a.txt': 'a\n' }, source);
  const { path, population } = await populate(source);
  expect(population).toEqual({ way: 'checkout', reason: 'there are few files' });
  expectOrdinary(source, path);
});

test('ready files of a commit with other attributes get the line endings of the base', async () => {
  const source = makeRepository({ 'a.txt': 'one\n' });
  const from = plainGit(source, 'rev-parse', 'HEAD');
  const base = commitFiles(source, { '.gitattributes': '*.txt text eol=crlf\n' });
  const place = { gitDir: join(tempDir(), 'git'), workTree: join(tempDir(), 'tree') };
  await writePrivateGit({ ...place, commonDir: join(source, '.git'), commit: from });
  plainGit(place.workTree, 'reset', '--quiet', '--hard');
  const backend = createGitBackend({ git: testGit(), temporaryRoot: tempDir(), keptDir: tempDir() });
  const path = join(tempDir(), 'source', 'desk');
  const subject = { backend, git: testGit(), source, path, scratch: tempDir() };
  const described = await describeWorkspace(subject, await backend.locate(source), 'x');
  const record = { ...described, base: { ref: 'HEAD', commit: base } };
  const ready = { tree: place.workTree, indexFile: join(place.gitDir, 'index'), commit: from };
  expect((await create({ backend, record }, { ready })).population?.way).toBe('spare');
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\r\n');
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
});

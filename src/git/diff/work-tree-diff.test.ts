import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { addWorktree, listFiles, placeOf } from '../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, gitEnv, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { type WorkTreeDiffRequest, writeWorkTreeDiff } from './work-tree-diff.js';

async function diff(work: string, against: string, format: WorkTreeDiffRequest['format'] = 'patch') {
  const chunks: Buffer[] = [];
  const temporaryRoot = tempDir();
  const request = { against, format, temporaryRoot };
  const result = await writeWorkTreeDiff(testGit(), placeOf(work), request, chunk => void chunks.push(chunk));
  expect(readdirSync(temporaryRoot)).toEqual([]);
  return { ...result, output: Buffer.concat(chunks) };
}

/** The files of a fresh checkout of the base with the patch applied, without permissions that git does not keep. */
function applyToBase(repository: string, patch: Buffer): Record<string, string> {
  const base = join(tempDir(), 'base');
  git(repository, 'worktree', 'add', '--quiet', '--detach', base, 'main');
  const options = {
    cwd: base,
    env: gitEnv(),
    input: patch,
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  if (patch.length > 0) execFileSync('git', ['apply', '--index', '--whitespace=nowarn'], options);
  return listFiles(base);
}

async function expectApplies(repository: string, work: string): Promise<void> {
  const before = {
    repository: fingerprint(repository),
    objects: git(repository, 'count-objects', '-v'),
    files: listFiles(work),
  };
  const { output } = await diff(work, git(repository, 'rev-parse', 'main'));
  const after = {
    repository: fingerprint(repository),
    objects: git(repository, 'count-objects', '-v'),
    files: listFiles(work),
  };
  expect(after).toEqual(before);
  expect(applyToBase(repository, output)).toEqual(before.files);
}

test('git apply accepts the patch and gives the same files', async () => {
  const binary = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256));
  const repository = makeRepository({
    'renamed.txt': 'a long enough\ntext to be\nfound again\n',
    'gone.txt': 'x\n',
    'tool.sh': 'x\n',
    'crlf.txt': 'a\r\nb\r\n',
  });
  commitFiles(repository, {
    'image.png': binary,
    'to-link': 'x\n',
    file: 'x\n',
    'staged.txt': 's\n',
    'no-newline': 'x',
  });
  const work = addWorktree(repository);
  commitFiles(work, { 'committed.txt': 'committed\n' });
  writeFiles(work, { 'staged.txt': 'staged\n' });
  git(work, 'add', 'staged.txt');
  renameSync(join(work, 'renamed.txt'), join(work, 'moved.txt'));
  for (const name of ['gone.txt', 'to-link', 'file']) rmSync(join(work, name));
  symlinkSync('staged.txt', join(work, 'to-link'));
  chmodSync(join(work, 'tool.sh'), 0o755);
  writeFiles(work, {
    'image.png': Buffer.from(binary).reverse(),
    'new.bin': binary,
    'empty.txt': '',
    'crlf.txt': 'a\r\nchanged\r\n',
    'file/inner.txt': 'a directory now\n',
    'no-newline': 'y',
    'new\nline "quoted" \\ ö.txt': 'x\n',
    '-rf': 'x\n',
  });
  writeFileSync(Buffer.concat([Buffer.from(`${work}/`), Buffer.from([0xff, 0xfe])]), 'not UTF-8\n');
  await expectApplies(repository, work);
  const { output } = await diff(work, 'main', 'name-only');
  expect(output.toString('latin1').split('\n')).toContain('"new\\nline \\"quoted\\" \\\\ Ã¶.txt"');
});

test('the user’s diff settings have no effect', async () => {
  const repository = makeRepository({
    'a.txt': 'a\nb\nc\nd\n',
    'b.custom': 'x\n',
    '.gitattributes': '*.custom diff=odd\n',
  });
  const settings = {
    'diff.noprefix': 'true',
    'diff.mnemonicPrefix': 'true',
    'diff.external': 'false',
    'color.ui': 'always',
    'diff.algorithm': 'patience',
    'diff.context': '0',
    'diff.renames': 'false',
    'diff.odd.textconv': 'false',
    'diff.odd.command': 'false',
    'core.quotePath': 'true',
    'core.safecrlf': 'true',
    'diff.ignoreSubmodules': 'all',
    'diff.orderFile': '/nonexistent',
    'diff.suppressBlankEmpty': 'true',
  };
  for (const [key, value] of Object.entries(settings)) git(repository, 'config', key, value);
  const work = addWorktree(repository);
  writeFiles(work, { 'a.txt': 'a\nB\nc\nd\n', 'b.custom': 'y\n' });
  await expectApplies(repository, work);
  expect((await diff(work, 'main')).output.toString()).toContain(
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n d\n',
  );
});

test('hidden edits are in the patch, files outside of a sparse checkout are not deleted by it', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'in/i': 'i\n', 'out/o': 'o\n' });
  const work = addWorktree(repository);
  git(work, 'sparse-checkout', 'set', 'in');
  git(work, 'update-index', '--assume-unchanged', 'a.txt');
  git(work, 'update-index', '--skip-worktree', 'b.txt');
  writeFiles(work, { 'a.txt': 'edited\n', 'b.txt': 'edited\n' });
  expect((await diff(work, 'main', 'name-only')).output.toString()).toBe('a.txt\nb.txt\n');
});

test('in a conflict the file on disk counts', async () => {
  const repository = makeRepository({ 'file.txt': 'base\n', 'both.txt': 'base\n', 'gone.txt': 'base\n' });
  git(repository, 'switch', '--quiet', '-c', 'other');
  commitFiles(repository, { 'file.txt': 'theirs\n', 'both.txt': 'theirs\n', 'gone.txt': 'theirs\n' });
  git(repository, 'switch', '--quiet', 'main');
  const work = addWorktree(repository);
  commitFiles(work, { 'file.txt': 'ours\n', 'both.txt': 'ours\n', 'gone.txt': 'ours\n' });
  expect(() => git(work, 'merge', 'other')).toThrow();
  writeFiles(work, { 'file.txt': 'half settled\n' });
  rmSync(join(work, 'gone.txt'));
  await expectApplies(repository, work);
});

test('line endings are those of a commit', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  git(repository, 'config', 'core.autocrlf', 'true');
  const work = addWorktree(repository);
  writeFiles(work, { 'a.txt': 'a\r\nb\r\n', 'new.txt': 'x\r\n' });
  await expectApplies(repository, work);
});

test('nested repositories and refused names are left out and reported', async () => {
  const repository = makeRepository({ '.gitignore': 'ignored\n' });
  const work = addWorktree(repository);
  makeRepository({ a: 'a\n' }, join(work, 'nested'));
  writeFiles(work, { 'new.txt': 'x\n', '.GIT/config': 'x\n', ignored: 'x\n' });
  const { output, skipped } = await diff(work, 'main', 'name-only');
  expect(output.toString()).toBe('new.txt\n');
  expect(skipped).toEqual(['nested', '.GIT/config']);
});

test('a directory that became a link, and a file below a link, are shown correctly', async () => {
  const repository = makeRepository({ 'dir/a.txt': 'a\n', 'other/a.txt': 'a\n' });
  const work = addWorktree(repository);
  rmSync(join(work, 'dir'), { recursive: true });
  symlinkSync('other', join(work, 'dir'));
  await expectApplies(repository, work);
});

test('a clean work tree has an empty patch, an empty directory changes nothing', async () => {
  const repository = makeRepository();
  const work = addWorktree(repository);
  mkdirSync(join(work, 'empty'));
  expect((await diff(work, 'main')).output.toString()).toBe('');
});

test('the summary counts lines', async () => {
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const work = addWorktree(repository);
  writeFiles(work, { 'a.txt': 'a\nb\n', 'new.txt': 'x\n' });
  expect((await diff(work, 'main', 'stat')).output.toString()).toBe(
    ' a.txt   | 1 +\n new.txt | 1 +\n 2 files changed, 2 insertions(+)\n create mode 100644 new.txt\n',
  );
});

test('a submodule at another commit is shown by its commit', async () => {
  const library = makeRepository({ 'lib.txt': 'lib\n' });
  const repository = makeRepository();
  git(repository, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
  git(repository, 'commit', '--quiet', '-m', 'submodule');
  const work = addWorktree(repository);
  git(work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  const commit = commitFiles(join(work, 'sub'), { 'new.txt': 'x\n' });
  expect((await diff(work, 'main')).output.toString()).toContain(`+Subproject commit ${commit}`);
});

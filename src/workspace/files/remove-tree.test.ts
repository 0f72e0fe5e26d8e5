import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../../../test/helpers/machine/bundle.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { isRoot, requirePart } from '../../../test/parts/required-part.js';
import { removeTree } from './remove-tree.js';
import { createTimeSlice } from './time-slice.js';

const NOBODY = 65_534;

test('removes a directory and everything in it, names that are not UTF-8 included', async () => {
  const root = tempDir();
  writeFiles(root, { 'tree/a/b/c.txt': '1', 'tree/é.txt': '2', 'beside.txt': '3' });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/tree/`), Buffer.from([0xff, 0xfe])]), 'odd');
  await removeTree(join(root, 'tree'));
  expect(existsSync(join(root, 'tree'))).toBe(false);
  expect(readFileSync(join(root, 'beside.txt'), 'utf8')).toBe('3');
});

test('removes a single file and accepts a missing path', async () => {
  const root = tempDir();
  writeFileSync(join(root, 'file'), '');
  await removeTree(join(root, 'file'));
  expect(existsSync(join(root, 'file'))).toBe(false);
  await removeTree(join(root, 'file'));
  await removeTree(join(root, 'no/such/path'));
});

test('removes symbolic links and keeps their targets', async () => {
  const root = tempDir();
  writeFiles(root, { 'kept/file.txt': 'kept' });
  mkdirSync(join(root, 'tree'));
  symlinkSync(join(root, 'kept'), join(root, 'tree/link'));
  symlinkSync('/nonexistent', join(root, 'tree/dangling'));
  symlinkSync(join(root, 'kept'), join(root, 'link'));
  await removeTree(join(root, 'tree'));
  await removeTree(join(root, 'link'));
  expect(existsSync(join(root, 'tree'))).toBe(false);
  expect(readFileSync(join(root, 'kept/file.txt'), 'utf8')).toBe('kept');
});

test('the event loop keeps running while a large tree is removed', async () => {
  const root = tempDir();
  for (let i = 0; i < 30; i++) writeFiles(root, { [`tree/${i % 3}/${i}`]: '' });
  let wasThere: boolean | undefined;
  setImmediate(() => {
    wasThere = existsSync(join(root, 'tree'));
  });
  // Each slice is over at once, so the first turn comes long before the end.
  await removeTree(join(root, 'tree'), createTimeSlice(0));
  expect(wasThere).toBe(true);
  expect(existsSync(join(root, 'tree'))).toBe(false);
});

// Root ignores permission bits. When we are root, these run as user `nobody` in a separate process.
test('directories without read, search or write permission are removed too', async () => {
  const root = sharedDir();
  const path = join(root, 'tree');
  writeFiles(path, { 'closed/x/y': '1', 'read-only/x/y': '2', 'list-only/x/y': '3', 'deep/a/b/c/d': '4' });
  for (const [name, mode] of [
    ['closed', 0],
    ['read-only', 0o500],
    ['list-only', 0o400],
    ['deep/a/b/c', 0o500],
    ['deep/a/b', 0o500],
    ['deep/a', 0o500],
    ['.', 0o500],
  ] as const) {
    giveAway(join(path, name));
    chmodSync(join(path, name), mode);
  }
  giveAway(root);
  for (const name of ['deep', 'closed/x', 'read-only/x', 'list-only/x']) giveAway(join(path, name));
  expect(await removeAsOrdinaryUser(path)).toBe('done');
  expect(existsSync(path)).toBe(false);
});

test('a refused deletion is an error, and permissions outside the tree are left alone', async () => {
  const root = sharedDir();
  writeFiles(root, { 'tree/a': '1' });
  giveAway(join(root, 'tree'));
  giveAway(root);
  chmodSync(root, 0o500);
  expect(await removeAsOrdinaryUser(join(root, 'tree'))).toBe('EACCES');
  expect(existsSync(join(root, 'tree'))).toBe(true);
  chmodSync(root, 0o700);
});

test('another user’s files are removed, and only files inside their directories stay', async context => {
  requirePart(context, isRoot, 'root');
  const root = sharedDir();
  const path = join(root, 'tree');
  writeFiles(path, { 'a/file': '1', 'full/file': '2', 'full/own/file': '3', 'z/file': '4' });
  mkdirSync(join(path, 'a/empty'), { mode: 0o700 });
  for (const name of ['.', 'a', 'z', 'z/file', 'full/own', 'full/own/file']) giveAway(join(path, name));
  giveAway(root);
  expect(await removeAsOrdinaryUser(path)).toBe('EACCES');
  expect(readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()).toEqual([
    'full',
    'full/file',
    'full/own',
  ]);
  chownSync(join(path, 'full'), NOBODY, NOBODY);
  expect(await removeAsOrdinaryUser(path)).toBe('done');
});

function sharedDir(): string {
  const outer = tempDir();
  chmodSync(outer, 0o755);
  const root = join(outer, 'root');
  mkdirSync(root);
  return root;
}

function giveAway(path: string): void {
  if (isRoot) chownSync(path, NOBODY, NOBODY);
}

async function removeAsOrdinaryUser(path: string): Promise<string> {
  if (!isRoot)
    return removeTree(path).then(
      () => 'done',
      error => error.code,
    );
  const directory = tempDir();
  chmodSync(directory, 0o755);
  const module = join(directory, 'remove-tree.mjs');
  await bundle(join(import.meta.dirname, 'remove-tree.ts'), { file: module });
  const script = `import { removeTree } from ${JSON.stringify(module)};
    process.stdout.write(await removeTree(process.argv[1]).then(() => 'done', error => error.code));`;
  const args = ['--input-type=module', '--eval', script, path];
  const child = spawnSync(process.execPath, args, { uid: NOBODY, gid: NOBODY, cwd: '/', encoding: 'utf8' });
  return child.stdout || child.stderr;
}

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { readTree } from '../contract/file-tree.js';
import { copyDirectory } from './copy-directory.js';

test('a copy has the same names, contents, modes and links', async () => {
  const [source, destination] = [tempDir(), tempDir()];
  writeFiles(source, { 'a/b/c.txt': 'c', 'run.sh': '#!/bin/sh\n', 'read-only/x': 'x', 'new\nline': 'n' });
  writeFileSync(Buffer.concat([Buffer.from(`${source}/`), Buffer.from([0xff])]), 'odd');
  mkdirSync(join(source, 'empty'));
  symlinkSync('../nowhere', join(source, 'a/link'));
  chmodSync(join(source, 'run.sh'), 0o755);
  chmodSync(join(source, 'read-only/x'), 0o440);
  chmodSync(join(source, 'read-only'), 0o555);
  expect(await copyDirectory(source, destination, undefined)).toEqual([]);
  expect(readTree(destination)).toEqual(readTree(source));
  chmodSync(join(source, 'read-only'), 0o755);
});

test('the copy is independent of its source', async () => {
  const [source, destination] = [tempDir(), tempDir()];
  writeFiles(source, { 'a.txt': 'before' });
  await copyDirectory(source, destination, undefined);
  writeFiles(source, { 'a.txt': 'after' });
  expect(readFileSync(join(destination, 'a.txt'), 'utf8')).toBe('before');
});

test('.git is not copied at any level', async () => {
  const source = makeRepository({ 'a.txt': 'a' });
  writeFiles(source, {
    'module/.git': 'gitdir: ../.git/modules/module\n',
    'module/b.txt': 'b',
    '.gitignore': 'x',
  });
  const destination = tempDir();
  expect(await copyDirectory(source, destination, undefined)).toEqual([]);
  expect(existsSync(join(destination, '.git'))).toBe(false);
  expect(existsSync(join(destination, 'module/.git'))).toBe(false);
  expect(existsSync(join(destination, 'module/b.txt'))).toBe(true);
  expect(existsSync(join(destination, '.gitignore'))).toBe(true);
});

test('named pipes are left out with a warning', async () => {
  const [source, destination] = [tempDir(), tempDir()];
  mkdirSync(join(source, 'run'));
  execFileSync('mkfifo', [join(source, 'run/pipe')]);
  expect(await copyDirectory(source, destination, undefined)).toEqual([
    'run/pipe was not copied: it is a named pipe',
  ]);
  expect(lstatSync(join(destination, 'run')).isDirectory()).toBe(true);
});

test('a copy below its own source does not copy itself', async () => {
  const source = tempDir();
  writeFiles(source, { 'a.txt': 'a', 'cache/b.txt': 'b' });
  const destination = join(source, 'cache/copy');
  mkdirSync(destination);
  expect(await copyDirectory(source, destination, undefined)).toEqual([]);
  expect(existsSync(join(destination, 'cache/b.txt'))).toBe(true);
  expect(existsSync(join(destination, 'cache/copy'))).toBe(false);
});

test('it stops when cancelled', async () => {
  const [source, destination] = [tempDir(), tempDir()];
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(copyDirectory(source, destination, signal)).rejects.toThrow('enough');
});

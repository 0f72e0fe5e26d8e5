import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { toBytes } from '../byte-path.js';
import { createPinner, hashPinned } from './pinned-file.js';

test('a file is opened and hashed as git does, and stays the same when another replaces it', async () => {
  const root = makeRepository({ 'dir/file.txt': 'mine\n' });
  const file = createPinner(root)('dir/file.txt');
  renameSync(join(root, 'dir'), join(root, 'away'));
  writeFiles(root, { 'dir/file.txt': 'other\n' });
  expect(file?.bytes).toBe(5);
  expect(await hashPinned(file as NonNullable<typeof file>, 40)).toBe(
    git(root, 'rev-parse', 'HEAD:dir/file.txt'),
  );
  expect(readFileSync(toBytes(file?.path ?? ''), 'utf8')).toBe('mine\n');
  file?.close();
});

test('nothing is opened through a link, at the end of the path or in the middle', () => {
  const outside = tempDir();
  writeFiles(outside, { 'secret.txt': 'secret\n' });
  const root = tempDir();
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
  symlinkSync(outside, join(root, 'dir'));
  const pin = createPinner(root);
  expect(readFileSync(join(root, 'dir/secret.txt'), 'utf8')).toBe('secret\n');
  expect(pin('file')).toBeUndefined();
  expect(pin('dir/secret.txt')).toBeUndefined();
  expect(pin('dir/../file')).toBeUndefined();
});

test('a root that is reached through a link is fine', () => {
  const root = tempDir();
  writeFiles(root, { 'real/file.txt': 'x' });
  symlinkSync(join(root, 'real'), join(root, 'link'));
  const file = createPinner(join(root, 'link'))('file.txt');
  expect(file?.bytes).toBe(1);
  file?.close();
});

test('does not block on pipes, sockets, directories or missing files', async () => {
  const root = tempDir();
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const server = createServer();
  await new Promise<void>(resolve => server.listen(join(root, 'socket'), resolve));
  mkdirSync(join(root, 'directory'));
  const pin = createPinner(root);
  for (const name of ['pipe', 'socket', 'directory', 'nothing', 'nothing/at/all'])
    expect([name, pin(name)]).toEqual([name, undefined]);
  await new Promise(resolve => server.close(resolve));
});

test('opens a name that is not UTF-8', () => {
  const root = tempDir();
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), 'odd');
  const file = createPinner(root)('\xff\xfe');
  expect(file?.bytes).toBe(3);
  file?.close();
});

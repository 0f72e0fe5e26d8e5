import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { readConfigText } from './read-config-text.js';

const unreadable = (problem: string) => ({
  code: 'CONFIG_UNREADABLE',
  message: expect.stringContaining(problem),
});

test('a missing file gives undefined', async () => {
  expect(await readConfigText(join(tempDir(), 'none', 'config.yaml'))).toBeUndefined();
});

test('a directory instead of the file is refused', async () => {
  const file = join(tempDir(), 'config.yaml');
  mkdirSync(file);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('it is not a regular file'));
});

test('a named pipe instead of the file is refused without waiting for a writer', async () => {
  const file = join(tempDir(), 'config.yaml');
  execFileSync('mkfifo', [file]);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('it is not a regular file'));
});

test('a broken link is a mistake, not a missing file', async () => {
  const file = join(tempDir(), 'config.yaml');
  symlinkSync('nowhere', file);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('it is a broken link'));
});

test('a circular link is refused with the errno', async () => {
  const file = join(tempDir(), 'config.yaml');
  symlinkSync('config.yaml', file);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('ELOOP'));
});

test('a file that is too large is refused', async () => {
  const file = join(tempDir(), 'config.yaml');
  writeFileSync(file, '#'.repeat(300_000));
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('300000 bytes; at most 262144'));
});

test('text that is not UTF-8 is refused with its line', async () => {
  const file = join(tempDir(), 'config.yaml');
  writeFileSync(file, Buffer.from('a: 1\nb: \xff\n', 'latin1'));
  await expect(readConfigText(file)).rejects.toMatchObject({
    code: 'CONFIG_SYNTAX',
    message: `${file}:2:1: the text is not UTF-8`,
  });
});

test('a sibling whose name starts like the directory is outside of it', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'repository'));
  mkdirSync(join(root, 'repository-evil'));
  writeFileSync(join(root, 'repository-evil', 'config.yaml'), '');
  const file = join(root, 'repository', 'config.yaml');
  symlinkSync('../repository-evil/config.yaml', file);
  await expect(readConfigText(file, join(root, 'repository'))).rejects.toMatchObject(
    unreadable('it is a link that leads outside'),
  );
});

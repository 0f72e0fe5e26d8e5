import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { readConfigText } from './read-config-text.js';

const unreadable = (problem: string) => ({
  code: 'CONFIG_UNREADABLE',
  message: expect.stringContaining(problem),
});

test('a file that is not there gives nothing', async () => {
  expect(await readConfigText(join(tempDir(), 'none', 'config.yaml'))).toBeUndefined();
});

test('a directory in the place of the file is refused', async () => {
  const file = join(tempDir(), 'config.yaml');
  mkdirSync(file);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('it is not a regular file'));
});

test('a named pipe in the place of the file is refused without waiting for a writer', async () => {
  const file = join(tempDir(), 'config.yaml');
  execFileSync('mkfifo', [file]);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('it is not a regular file'));
});

test('a link to nothing is a mistake, not an absence', async () => {
  const file = join(tempDir(), 'config.yaml');
  symlinkSync('nowhere', file);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('it is a link to nothing'));
});

test('a link in a circle is refused with the errno', async () => {
  const file = join(tempDir(), 'config.yaml');
  symlinkSync('config.yaml', file);
  await expect(readConfigText(file)).rejects.toMatchObject(unreadable('ELOOP'));
});

test('a file too large to be written by a person is refused', async () => {
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

test('a sibling whose name begins like the directory is outside of it', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'repository'));
  mkdirSync(join(root, 'repository-evil'));
  writeFileSync(join(root, 'repository-evil', 'config.yaml'), '');
  const file = join(root, 'repository', 'config.yaml');
  symlinkSync('../repository-evil/config.yaml', file);
  await expect(readConfigText(file, join(root, 'repository'))).rejects.toMatchObject(
    unreadable('it is a link out of'),
  );
});

import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { type Descriptors, plainDescriptors } from '../../exec/filesystem/descriptors.js';
import { createPinner } from './pinned-file.js';

// Simulates a kernel that does not report the path of an open file.

test('a file is opened, and named by its path', () => {
  const root = makeRepository({ 'dir/file.txt': 'mine\n' });
  const file = createPinner(root, plainDescriptors)('dir/file.txt');
  expect(file).toMatchObject({ bytes: 5, path: `${root}/dir/file.txt` });
  file?.close();
});

test('nothing is opened through a link, at the end of the path or in the middle', () => {
  const outside = tempDir();
  writeFiles(outside, { 'secret.txt': 'secret\n' });
  const root = tempDir();
  symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
  symlinkSync(outside, join(root, 'dir'));
  mkdirSync(join(root, 'real'));
  const pin = createPinner(root, plainDescriptors);
  for (const path of ['file', 'dir/secret.txt', 'real/../file', 'nothing', 'real'])
    expect([path, pin(path)]).toEqual([path, undefined]);
});

test('a file swapped in after opening is not mistaken for the opened one', () => {
  const root = tempDir();
  writeFiles(root, { 'dir/file.txt': 'mine\n', 'other/file.txt': 'other\n' });
  // The kernel is queried between opening and checking the path: the attacker's window.
  const swapping: Descriptors = {
    ...plainDescriptors,
    placeOf: () => {
      renameSync(join(root, 'dir'), join(root, 'away'));
      renameSync(join(root, 'other'), join(root, 'dir'));
      return undefined;
    },
  };
  expect(createPinner(root, swapping)('dir/file.txt')).toBeUndefined();
});

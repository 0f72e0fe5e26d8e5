import { closeSync, constants, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { plainDescriptors } from '../../exec/filesystem/descriptors.js';
import { openConfined } from './confined-open.js';

// As on systems where an open directory has no path.

test('a path is resolved name by name, and must not lead out', () => {
  const root = tempDir();
  const outside = tempDir();
  writeFiles(outside, { secret: 'secret' });
  writeFiles(root, { 'a/b/file': 'inside' });
  symlinkSync(outside, join(root, 'out'));
  symlinkSync(join(root, 'a'), join(root, 'within'));
  const open = (path: string, flags: number = constants.O_RDONLY, makes = false) =>
    openConfined(root, join(root, path), { flags, makes }, plainDescriptors);
  expect(open('out/secret')).toBeUndefined();
  const descriptor = open('within/b/file') as number;
  expect(readFileSync(descriptor, 'utf8')).toBe('inside');
  closeSync(descriptor);
  closeSync(open('new/deep/file', constants.O_WRONLY | constants.O_CREAT, true) as number);
  expect(readFileSync(join(root, 'new/deep/file'), 'utf8')).toBe('');
});

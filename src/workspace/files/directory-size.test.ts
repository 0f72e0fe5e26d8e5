import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { measureDiskUsage } from './directory-size.js';
import { freeBytes } from './free-disk.js';

const du = (path: string): number =>
  Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]) * 1024;

test('the size of a directory is what du prints, hard links counted once and symbolic links not followed', async () => {
  const root = tempDir();
  writeFiles(root, {
    'tree/big': 'x'.repeat(1_000_000),
    'tree/a/b/small': 'y',
    outside: 'z'.repeat(500_000),
  });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/tree/`), Buffer.from([0xff])]), 'x'.repeat(20_000));
  linkSync(join(root, 'tree/big'), join(root, 'tree/a/linked'));
  symlinkSync(join(root, 'outside'), join(root, 'tree/link'));
  symlinkSync('..', join(root, 'tree/a/loop'));
  const bytes = await measureDiskUsage(join(root, 'tree'));
  expect(bytes).toBe(du(join(root, 'tree')));
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThan(1_500_000);
});

test('a missing directory has size 0', async () => {
  expect(await measureDiskUsage(join(tempDir(), 'none'))).toBe(0);
});

test('files deleted during the walk are ignored', async () => {
  const root = tempDir();
  for (let i = 0; i < 5000; i++) writeFiles(root, { [`${i % 50}/${i}`]: 'x' });
  const measuring = measureDiskUsage(root);
  for (let i = 0; i < 5000; i += 2) unlinkSync(join(root, `${i % 50}/${i}`));
  expect(await measuring).toBeGreaterThan(0);
});

test('the free space of a path that does not exist is that of the directory above it', async () => {
  const root = tempDir();
  mkdirSync(join(root, 'there'));
  writeFileSync(join(root, 'file'), '');
  const available =
    Number(execFileSync('df', ['-Pk', root], { encoding: 'utf8' }).split('\n')[1]?.split(/\s+/)[3]) * 1024;
  for (const path of ['there', 'not/there', 'file/below']) {
    const free = await freeBytes(join(root, path));
    // Other processes write to the same disk while this runs.
    expect(Math.abs(free - available)).toBeLessThan(available / 2);
  }
});

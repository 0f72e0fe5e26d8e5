import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { type ArchiveEntry, tarArchive } from './tar-archive.js';

const LONG = `${'directory/'.repeat(12)}${'f'.repeat(90)}`;

it('is unpacked by tar as it was put in', async () => {
  const [from, to] = [join(tempDir(), 'large'), tempDir()];
  writeFileSync(from, Buffer.alloc(700_001, 'x'));
  const entries: ArchiveEntry[] = [
    { kind: 'directory', path: 'bin', mode: 0o755 },
    { kind: 'content', path: 'bin/script', mode: 0o750, content: '#!/bin/sh\nü\n' },
    { kind: 'symlink', path: 'sh', target: '/bin/script' },
    { kind: 'file', path: 'large', mode: 0o644, from, size: 700_001 },
    { kind: 'content', path: LONG, mode: 0o644, content: Buffer.from([0, 255]) },
    { kind: 'content', path: 'empty', mode: 0o600, content: '' },
  ];
  const archive = await buffer(tarArchive(entries));
  const { status, stderr } = spawnSync('tar', ['-xpf', '-'], { cwd: to, input: archive });
  expect([status, stderr.toString()]).toEqual([0, '']);
  expect(readFileSync(join(to, 'bin/script'), 'utf8')).toBe('#!/bin/sh\nü\n');
  expect(lstatSync(join(to, 'bin/script')).mode & 0o777).toBe(0o750);
  expect(readlinkSync(join(to, 'sh'))).toBe('/bin/script');
  expect(readFileSync(join(to, 'large')).equals(readFileSync(from))).toBe(true);
  expect(readFileSync(join(to, LONG))).toEqual(Buffer.from([0, 255]));
  expect(readFileSync(join(to, 'empty'), 'utf8')).toBe('');
  expect((await buffer(tarArchive(entries))).equals(archive)).toBe(true);
});

it('is not finished when a file is not as large as it was said', async () => {
  const from = join(tempDir(), 'file');
  writeFileSync(from, 'longer than that');
  const entry: ArchiveEntry = { kind: 'file', path: 'file', mode: 0o644, from, size: 3 };
  await expect(buffer(tarArchive([entry]))).rejects.toMatchObject({ code: 'INTERNAL' });
});

it('does not cut what is too long', async () => {
  const path = 'x'.repeat(101);
  const file: ArchiveEntry = { kind: 'content', path, mode: 0o644, content: '' };
  await expect(buffer(tarArchive([file]))).rejects.toMatchObject({ code: 'INTERNAL' });
  const link: ArchiveEntry = { kind: 'symlink', path: 'link', target: path };
  await expect(buffer(tarArchive([link]))).rejects.toMatchObject({ code: 'INTERNAL' });
});

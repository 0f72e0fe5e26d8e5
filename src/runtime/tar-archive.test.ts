import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { needProgram } from '../../test/parts/required-part.js';
import { type ArchiveEntry, tarArchive } from './tar-archive.js';

const LONG = `${'directory/'.repeat(30)}${'f'.repeat(250)}`;

it('tar unpacks the same files', async () => {
  needProgram('tar');
  const [from, to] = [join(tempDir(), 'large'), tempDir()];
  writeFileSync(from, Buffer.alloc(700_001, 'x'));
  const entries: ArchiveEntry[] = [
    { kind: 'directory', path: 'bin', mode: 0o755 },
    { kind: 'content', path: 'bin/script', mode: 0o750, content: '#!/bin/sh\nü\n' },
    { kind: 'symlink', path: 'sh', target: '/bin/script' },
    { kind: 'symlink', path: 'far', target: LONG },
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
  expect(readlinkSync(join(to, 'far'))).toBe(LONG);
  expect(readFileSync(join(to, 'large')).equals(readFileSync(from))).toBe(true);
  expect(readFileSync(join(to, LONG))).toEqual(Buffer.from([0, 255]));
  expect(readFileSync(join(to, 'empty'), 'utf8')).toBe('');
  expect((await buffer(tarArchive(entries))).equals(archive)).toBe(true);
});

it('fails when a file does not have the announced size', async () => {
  const from = join(tempDir(), 'file');
  writeFileSync(from, 'longer than that');
  const entry: ArchiveEntry = { kind: 'file', path: 'file', mode: 0o644, from, size: 3 };
  await expect(buffer(tarArchive([entry]))).rejects.toMatchObject({ code: 'INTERNAL' });
});

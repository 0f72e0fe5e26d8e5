import { once } from 'node:events';
import { existsSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { makeNewDirectory, makeSharedDirectory, moveInto, replacePrivateFile } from './shared-directory.js';

/** A thread that removes empty directories as fast as possible. */
function removeEmptyDirectories(directories: readonly string[]): Worker {
  const work = `const { rmdirSync } = require('node:fs');
    for (;;) for (const path of require('node:worker_threads').workerData) try { rmdirSync(path); } catch {}`;
  return new Worker(work, { eval: true, workerData: directories });
}

test('creates directories, moves and writes files while another thread removes empty parent folders', async () => {
  const root = join(tempDir(), 'root');
  const trash = join(root, '.trash');
  const tidier = removeEmptyDirectories([
    trash,
    join(root, 'made/own'),
    join(root, 'made'),
    join(root, 'kept/records'),
    join(root, 'kept'),
    root,
  ]);
  await once(tidier, 'online');
  for (let number = 1; number <= 200; number++) {
    const from = join(tempDir(), 'slot');
    await mkdir(from);
    writeFileSync(join(from, 'file'), '');
    const to = join(trash, String(number));
    await moveInto(from, to);
    expect(existsSync(join(to, 'file'))).toBe(true);
    const made = join(root, 'made', String(number));
    await makeSharedDirectory(made);
    expect(existsSync(made)).toBe(true);
    rmdirSync(made);
    const own = join(root, 'made', 'own', String(number));
    await makeNewDirectory(own);
    expect(existsSync(own)).toBe(true);
    rmdirSync(own);
    const file = join(root, 'kept', 'records', String(number));
    await replacePrivateFile(file, 'text');
    expect(readFileSync(file, 'utf8')).toBe('text');
    unlinkSync(file);
  }
  await tidier.terminate();
});

test('a missing directory is not moved', async () => {
  const root = tempDir();
  await moveInto(join(root, 'gone'), join(root, 'deep/there'));
  expect(existsSync(join(root, 'deep/there'))).toBe(false);
});

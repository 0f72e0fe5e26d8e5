import { spawnSync } from 'node:child_process';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { openSocketDirectory } from './socket-directory.js';

const LISTEN_AND_DIE = `
  require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;

test('sockets of killed processes are deleted once they are old; living ones, new ones and files stay', async () => {
  const path = tempDir();
  for (const name of ['dead.sock', 'new.sock']) {
    expect(spawnSync(process.execPath, ['-e', LISTEN_AND_DIE, join(path, name)]).signal).toBe('SIGKILL');
  }
  writeFileSync(join(path, 'file'), '');
  const server = createServer();
  await new Promise<void>(resolve => server.listen(join(path, 'living.sock'), resolve));
  onTestFinished(() => void server.close());
  for (const name of ['dead.sock', 'living.sock', 'file']) utimesSync(join(path, name), 1_000, 1_000);
  expect(readdirSync(path).sort()).toEqual(['dead.sock', 'file', 'living.sock', 'new.sock']);

  const directory = await openSocketDirectory(path, Date.now());
  await directory.close();
  expect(readdirSync(path).sort()).toEqual(['file', 'living.sock', 'new.sock']);
});

test('its socket paths are short, even if its own path is long', async () => {
  const short = await openSocketDirectory(join(tempDir(), 'short'), 0);
  const long = await openSocketDirectory(join(tempDir(), 'x'.repeat(200)), 0);
  onTestFinished(short.close);
  onTestFinished(long.close);
  expect(short.pathOf('a.sock')).toMatch(/short\/a\.sock$/);
  expect(long.pathOf('a.sock').length).toBeLessThan(100);
  expect(() => long.pathOf('a'.repeat(100))).toThrow(
    expect.objectContaining({ code: 'NETWORK_UNAVAILABLE' }),
  );
});

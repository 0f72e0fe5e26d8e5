import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { forgetOwners, listOwners, withOwner } from './command-owners.js';
import { sandboxPlace } from './place.js';

const self = { pid: 17, startedAt: '5', realm: 'here' };

test('whoever has a command in a sandbox is known while it runs, and not after it, however it ended', async () => {
  const place = sandboxPlace(tempDir(), 'ws_a');
  await withOwner(place, 'op_1', self, async () => {
    expect(await listOwners(place)).toEqual([self]);
  });
  await expect(
    withOwner(place, 'op_2', self, async () => {
      throw new Error('failed');
    }),
  ).rejects.toThrow('failed');
  expect(await listOwners(place)).toEqual([]);
});

test('a file that was cut short by a crash still tells that there was a command', async () => {
  const place = sandboxPlace(tempDir(), 'ws_a');
  mkdirSync(join(place.root, 'commands'), { recursive: true });
  writeFileSync(join(place.root, 'commands', 'op_1'), '{"pid":1');
  expect(await listOwners(place)).toEqual([undefined]);
  await forgetOwners(place);
  expect(existsSync(join(place.root, 'commands'))).toBe(false);
});

test('where there never was a sandbox, nobody has a command', async () => {
  expect(await listOwners(sandboxPlace(tempDir(), 'ws_a'))).toEqual([]);
});

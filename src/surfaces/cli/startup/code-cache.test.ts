import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import { openCodeCache } from './code-cache.js';

const code = Buffer.from('compiled');

test('reads the cache back for the same build and command only', () => {
  const directory = join(tempDir(), 'code');
  openCodeCache(directory, { build: 'one', command: 'up' }).write(code);
  expect(openCodeCache(directory, { build: 'one', command: 'up' }).read()).toEqual(code);
  expect(openCodeCache(directory, { build: 'two', command: 'up' }).read()).toBeUndefined();
  expect(openCodeCache(directory, { build: 'one', command: 'down' }).read()).toBeUndefined();
});

test('leaves no other files, and other users can neither read nor write it', () => {
  const directory = join(tempDir(), 'code');
  const cache = openCodeCache(directory, { build: 'one', command: 'up' });
  cache.write(Buffer.from('older'));
  cache.write(code);
  const [name = '', ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  chmodSync(join(directory, name), 0o620);
  expect(cache.read()).toBeUndefined();
});

test('works without a cache when the directory cannot be created or written', () => {
  const place = tempDir();
  writeFileSync(join(place, 'code'), '');
  const cache = openCodeCache(join(place, 'code'), { build: 'one', command: 'up' });
  cache.write(code);
  expect(cache.read()).toBeUndefined();
});

test('removes the code of other builds after a month', () => {
  const directory = tempDir();
  mkdirSync(directory, { recursive: true });
  const longAgo = new Date(Date.now() - 40 * 86_400_000);
  for (const name of ['old-up', 'one-down']) {
    writeFileSync(join(directory, name), '');
    utimesSync(join(directory, name), longAgo, longAgo);
  }
  writeFileSync(join(directory, 'recent-up'), '');
  openCodeCache(directory, { build: 'one', command: 'up' }).write(code);
  const left = readdirSync(directory).map(name => name.replace(/^one-.+-up$/, 'one-up'));
  expect(left.sort()).toEqual(['one-down', 'one-up', 'recent-up']);
});

import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import { loadToken } from './server-token-file.js';

test('servers that start at the same time share one token', async () => {
  const directory = join(tempDir(), 'server');
  const loaded = await Promise.all(Array.from({ length: 8 }, () => loadToken(join(directory, 'token'))));
  expect(new Set(loaded.map(({ value }) => value)).size).toBe(1);
  expect(loaded.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(readdirSync(directory)).toEqual(['token']);
});

test('refuses a token that others can read, or that is short or invalid', async () => {
  const directory = tempDir();
  const file = join(directory, 'token');
  writeFileSync(file, 'a-token-of-my-own-choice\n', { mode: 0o600 });
  expect(await loadToken(file)).toEqual({ value: 'a-token-of-my-own-choice', isNew: false });
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(file, mode);
    await expect(loadToken(file)).rejects.toMatchObject({ code: 'TOKEN_FILE_UNUSABLE' });
  }
  chmodSync(file, 0o600);
  for (const content of [
    '',
    'short',
    'two words that are long enough',
    `${'x'.repeat(20)}\n${'y'.repeat(20)}`,
  ]) {
    writeFileSync(file, content);
    await expect(loadToken(file)).rejects.toMatchObject({ code: 'TOKEN_FILE_UNUSABLE' });
  }
  mkdirSync(join(directory, 'folder'), { mode: 0o700 });
  await expect(loadToken(join(directory, 'folder'))).rejects.toMatchObject({ code: 'TOKEN_FILE_UNUSABLE' });
});

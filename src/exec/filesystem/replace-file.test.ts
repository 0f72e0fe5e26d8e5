import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { replaceFile } from './replace-file.js';

test('of many concurrent writers one wins, its text is complete, and no draft is left', async () => {
  const file = join(tempDir(), 'file');
  const texts = Array.from({ length: 40 }, (_, index) => `${index}`.repeat(1 + index * 100));
  await Promise.all(texts.map(text => replaceFile(file, text, 0o600)));
  expect(texts).toContain(readFileSync(file, 'utf8'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(file, '..'))).toEqual(['file']);
});

test('a failed write leaves no draft', async () => {
  const directory = tempDir();
  await expect(replaceFile(directory, 'text')).rejects.toMatchObject({ code: expect.any(String) });
  expect(readdirSync(join(directory, '..')).filter(name => name.endsWith('.carrel'))).toEqual([]);
});

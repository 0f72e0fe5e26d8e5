import { existsSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { makeDirectory, moveInto } from './make-directory.js';

/** Somebody who removes what is empty as fast as possible. */
function tidyUp(directories: readonly string[]): () => Promise<void> {
  let isOver = false;
  const running = (async () => {
    while (!isOver) for (const directory of directories) await rmdir(directory).catch(() => undefined);
  })();
  return async () => {
    isOver = true;
    await running;
  };
}

test('directories come to be, and files arrive, while others remove the folders above as long as those are empty', async () => {
  const root = join(tempDir(), 'root');
  const trash = join(root, '.trash');
  const stop = tidyUp([trash, root]);
  for (let number = 1; number <= 200; number++) {
    const from = join(tempDir(), 'slot');
    await mkdir(from);
    writeFileSync(join(from, 'file'), '');
    const to = join(trash, String(number));
    await moveInto(from, to);
    expect(existsSync(join(to, 'file'))).toBe(true);
    const made = join(root, 'made', String(number));
    await makeDirectory(made);
    expect(existsSync(made)).toBe(true);
    rmdirSync(made);
  }
  await stop();
});

test('what is gone already is not moved', async () => {
  const root = tempDir();
  await moveInto(join(root, 'gone'), join(root, 'deep/there'));
  expect(existsSync(join(root, 'deep/there'))).toBe(false);
});

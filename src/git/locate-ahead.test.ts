import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { testGit } from '../../test/helpers/test-git.js';
import { createLocator } from './locate-ahead.js';

test('an answer that was prepared is given once, and then the question is asked anew', async () => {
  const repository = makeRepository();
  const locator = createLocator(testGit());
  locator.begin(repository);
  expect(await locator.locate(repository)).toMatchObject({ root: repository });
  rmSync(join(repository, '.git'), { recursive: true });
  await expect(locator.locate(repository)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
});

test('a failure that was prepared is told to the one who asks', async () => {
  const locator = createLocator(testGit());
  const nowhere = tempDir();
  locator.begin(nowhere);
  await expect(locator.locate(nowhere)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { createRepositoryLocator } from './repository-locator.js';

test('a prepared answer is used once, then the repository is located again', async () => {
  const repository = makeRepository();
  const locator = createRepositoryLocator(testGit());
  locator.begin(repository);
  expect(await locator.locate(repository)).toMatchObject({ root: repository });
  rmSync(join(repository, '.git'), { recursive: true });
  await expect(locator.locate(repository)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
});

test('a prepared failure is reported to the caller', async () => {
  const locator = createRepositoryLocator(testGit());
  const nowhere = tempDir();
  locator.begin(nowhere);
  await expect(locator.locate(nowhere)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
});

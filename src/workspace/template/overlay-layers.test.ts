import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { overlayDir, requireOverlay } from '../../../test/helpers/pool/overlay.js';
import { commitFiles, makeRepository } from '../../../test/helpers/repository.js';
import { mountOverlayForReading, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import type { Git } from '../../git/git.js';
import { takeLayers } from './overlay-layers.js';
import type { TemplateRequest } from './template-place.js';
import { ensureTemplate } from './template-tree.js';

beforeEach(requireOverlay);

test('a layer that another process made in the meantime is described with the tree below it', async () => {
  const root = overlayDir();
  const repository = makeRepository({ 'a.txt': 'first\n', 'b.txt': 'first\n' });
  const request = (files: Record<string, string>): TemplateRequest => ({
    root,
    repositoryId: 'repository',
    repository,
    commonDir: join(repository, '.git'),
    commit: commitFiles(repository, files),
  });
  const far = request({ 'a.txt': 'far\n', 'b.txt': 'far\n' });
  const near = request({ 'a.txt': 'third\n' });
  const third = request({ 'b.txt': 'third\n' });
  await ensureTemplate(testGit(), far);
  const plain = testGit();
  let theirs = '';
  const slow: Git = {
    ...plain,
    run: async (args, options) => {
      if (args[0] === 'checkout') {
        await ensureTemplate(plain, near);
        theirs = (await takeLayers(plain, third, { id: 'other', path: root })).lower;
      }
      return plain.run(args, options);
    },
  };
  const { lower } = await takeLayers(slow, third, { id: 'one', path: root });
  expect(lower).toBe(theirs);
  const [upper = '', below = ''] = lower.split(':');
  const target = join(root, 'seen');
  mkdirSync(target);
  await mountOverlayForReading({ lower: below, upper, target });
  const seen = ['a.txt', 'b.txt'].map(name => readFileSync(join(target, name), 'utf8'));
  await unmountOverlay(target);
  expect(seen).toEqual(['third\n', 'third\n']);
});

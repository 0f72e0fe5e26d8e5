import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JJ_FORMS, jj, makeJjRepository, requireJj } from '../../test/helpers/git/jj.js';
import { makeRepository } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { isColocated, isInJjWorkspace, locateJjRepository } from './repository.js';

for (const form of JJ_FORMS) {
  test(`a ${form} repository is found from a subdirectory and from another workspace`, async context => {
    requireJj(context);
    const root = makeJjRepository(form, { 'dir/deep/a.txt': 'a\n' });
    const found = await locateJjRepository(root);
    const gitDir = form === 'colocated' ? join(root, '.git') : join(root, '.jj/repo/store/git');
    expect(found).toMatchObject({ name: 'repo', root, commonDir: gitDir, linkedWorktree: null });
    expect(isColocated(found)).toBe(form === 'colocated');
    expect(await locateJjRepository(join(root, 'dir/deep'))).toEqual(found);
    const other = join(tempDir(), 'other');
    jj(root, 'workspace', 'add', '--no-colocate', other);
    expect(await locateJjRepository(join(other, 'dir'))).toEqual({ ...found, linkedWorktree: other });
  });
}

test('the nearest repository counts: git inside jj is git, and jj inside git is jj', async () => {
  const outer = tempDir();
  mkdirSync(join(outer, '.jj/repo'), { recursive: true });
  const inner = makeRepository({ 'a.txt': 'a\n' }, join(outer, 'inner'));
  expect(await isInJjWorkspace(outer)).toBe(true);
  expect(await isInJjWorkspace(inner)).toBe(false);
  mkdirSync(join(inner, 'deeper/.jj'), { recursive: true });
  expect(await isInJjWorkspace(join(inner, 'deeper'))).toBe(false);
  mkdirSync(join(inner, 'deeper/.jj/repo'));
  expect(await isInJjWorkspace(join(inner, 'deeper'))).toBe(true);
  expect(await isInJjWorkspace(join(outer, 'none'))).toBe(false);
});

test('a store other than git, and a workspace whose repository is gone, are refused', async () => {
  const native = tempDir();
  mkdirSync(join(native, '.jj/repo/store'), { recursive: true });
  await expect(locateJjRepository(native)).rejects.toMatchObject({ code: 'UNSUPPORTED_REPOSITORY' });
  const lost = tempDir();
  mkdirSync(join(lost, '.jj'));
  writeFileSync(join(lost, '.jj/repo'), '../../none/.jj/repo');
  await expect(locateJjRepository(lost)).rejects.toMatchObject({ code: 'NOT_A_REPOSITORY' });
});

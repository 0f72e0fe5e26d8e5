import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { requireOverlay, unmountBelow } from '../../../test/helpers/pool/overlay.js';
import { clean, look, makeSlot, NO_CACHES } from '../../../test/helpers/pool/overlay-slot.js';
import { commitFiles, git } from '../../../test/helpers/repository.js';

beforeEach(requireOverlay);

describe('kept caches', () => {
  const keep = { paths: ['node_modules', 'src/deep/build'] };

  function install(tree: string): void {
    for (const place of ['node_modules/dependency', 'src/deep/build']) {
      mkdirSync(join(tree, place), { recursive: true });
      writeFileSync(join(tree, place, 'index.js'), 'installed');
    }
  }

  test('move to the next lease while everything else is removed', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    install(tree);
    const only = await files.reset(slot, aside(), keep);
    expect(only).toMatchObject({ problem: null, hasWork: false });
    expect(Object.keys(only.caches)).toEqual(keep.paths);
    const cached = { ...slot, caches: only.caches };
    writeFileSync(join(tree, 'src/deep/work.txt'), 'work');
    const found = await files.reset(cached, aside('second'), keep);
    expect(found).toMatchObject({ problem: null, hasWork: true, caches: only.caches });
    expect(readFileSync(join(tree, 'node_modules/dependency/index.js'), 'utf8')).toBe('installed');
    expect(readFileSync(join(tree, 'src/deep/build/index.js'), 'utf8')).toBe('installed');
    expect(git(tree, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(aside('second'), 'upper/src/deep/work.txt'))).toBe(true);
  });

  test('are removed when a lock file changed, when they are not ignored, and when they are no longer configured', async () => {
    const { files, slot, tree, aside } = await makeSlot();
    install(tree);
    appendFileSync(join(tree, 'package-lock.json'), '{"changed": true}\n');
    expect((await files.reset(slot, aside('changed'), keep)).caches).toEqual({});
    mkdirSync(join(tree, 'not-ignored'));
    writeFileSync(join(tree, 'not-ignored/x'), '');
    const found = await files.reset(slot, aside('not-ignored'), { paths: ['not-ignored', 'src'] });
    expect(found).toMatchObject({ problem: null, caches: {} });
    install(tree);
    const { caches } = await files.reset(slot, aside('kept'), keep);
    await files.reset({ ...slot, caches }, aside('unkept'), NO_CACHES);
    expect(look(tree)).toEqual(clean(slot));
  });

  test('are removed when the mount is gone, because they may not have reached the disk', async () => {
    const { files, slot, tree, root, aside } = await makeSlot();
    install(tree);
    unmountBelow(root);
    expect(await files.reset(slot, aside(), keep)).toMatchObject({ problem: null, caches: {} });
    expect(look(tree)).toEqual(clean(slot));
  });

  test('follow to a commit with the same lock file and not to one with another', async () => {
    const { files, slot, tree, repository, aside } = await makeSlot();
    install(tree);
    const { caches } = await files.reset(slot, aside('first'), keep);
    const near = commitFiles(repository, { 'a.txt': 'near\n' });
    expect(await files.retarget({ ...slot, caches }, near, aside('near'))).toEqual(caches);
    expect(existsSync(join(tree, 'node_modules/dependency/index.js'))).toBe(true);
    const other = commitFiles(repository, { 'package-lock.json': '{"other": 1}\n' });
    expect(await files.retarget({ ...slot, caches, commit: near }, other, aside('other'))).toEqual({});
    expect(look(tree)).toEqual(clean({ ...slot, commit: other }));
    expect(existsSync(join(aside('other'), 'upper/node_modules'))).toBe(true);
  });
});

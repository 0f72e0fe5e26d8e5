import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requireOverlay } from '../../../test/helpers/pool/overlay.js';
import { clean, look, makeSlot, NO_CACHES } from '../../../test/helpers/pool/overlay-slot.js';
import { git } from '../../../test/helpers/repository.js';

// A reset that finished but whose outcome was never handed over, for example because the disk was full: the
// holder may go on writing, and the next reset finds what the first one put aside.

beforeEach(requireOverlay);

test('files that were written after it are kept where they are, and the slot is not clean', async () => {
  const { files, slot, tree, aside } = await makeSlot();
  writeFileSync(join(tree, 'first.txt'), 'first');
  await files.reset(slot, aside(), NO_CACHES);
  writeFileSync(join(tree, 'later.txt'), 'later');
  const found = await files.reset(slot, aside(), NO_CACHES);
  expect(found).toMatchObject({ problem: expect.stringContaining('later.txt'), hasWork: true });
  expect(readFileSync(join(aside(), 'upper/first.txt'), 'utf8')).toBe('first');
  expect(readFileSync(join(slot.directory, 'upper/later.txt'), 'utf8')).toBe('later');
  const second = await files.reset(slot, aside('second'), NO_CACHES);
  expect(second).toMatchObject({ problem: null, hasWork: true });
  expect(readFileSync(join(aside('second'), 'upper/later.txt'), 'utf8')).toBe('later');
  expect(look(tree)).toEqual(clean(slot));
});

test('a branch that was made after it is kept too', async () => {
  const { files, slot, tree, aside } = await makeSlot();
  writeFileSync(join(tree, 'first.txt'), 'first');
  await files.reset(slot, aside(), NO_CACHES);
  git(tree, 'branch', 'later');
  expect((await files.reset(slot, aside(), NO_CACHES)).problem).not.toBeNull();
  expect(existsSync(join(slot.directory, 'git/refs/heads/later'))).toBe(true);
});

test('when nothing was written after it, it is merely done again', async () => {
  const { files, slot, tree, aside } = await makeSlot();
  writeFileSync(join(tree, 'first.txt'), 'first');
  await files.reset(slot, aside(), NO_CACHES);
  expect(await files.reset(slot, aside(), NO_CACHES)).toMatchObject({ problem: null, hasWork: true });
  expect(readFileSync(join(aside(), 'upper/first.txt'), 'utf8')).toBe('first');
  expect(look(tree)).toEqual(clean(slot));
});

test('a git directory that was only half written when its process was killed is not taken for work', async () => {
  const { files, slot, tree, aside } = await makeSlot();
  writeFileSync(join(tree, 'first.txt'), 'first');
  await files.reset(slot, aside(), NO_CACHES);
  for (const name of ['HEAD', 'config']) truncateSync(join(slot.directory, 'git', name), 0);
  expect(await files.reset(slot, aside(), NO_CACHES)).toMatchObject({ problem: null, hasWork: true });
  expect(look(tree)).toEqual(clean(slot));
});

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { insideStore, listBorrowers, listObjectStores } from './object-stores.js';

function makeStore(path: string, alternates?: string): string {
  mkdirSync(join(path, 'info'), { recursive: true });
  if (alternates !== undefined) writeFileSync(join(path, 'info', 'alternates'), alternates);
  return path;
}

test('a store that borrows nothing is the only one', async () => {
  const root = tempDir();
  const own = makeStore(join(root, 'objects'));
  expect(await listObjectStores(root)).toEqual([own]);
  expect(await listBorrowers([own])).toEqual([]);
});

test('every borrowed store is listed once, in any notation, also with cycles', async () => {
  const root = tempDir();
  const odd = makeStore(join(root, 'naïve\n"store"'));
  const far = makeStore(join(root, 'far'), '../repo/objects\n');
  const near = makeStore(join(root, 'near'), `# a remark\n${far}\n/nonexistent/objects\n`);
  symlinkSync(near, join(root, 'link'));
  const quoted = `"${root}/na\\303\\257ve\\n\\"store\\""`;
  const own = makeStore(join(root, 'repo', 'objects'), `../../link\n\n${near}\n${quoted}\n`);
  const stores = await listObjectStores(join(root, 'repo'));
  expect(stores).toEqual([own, near, far, odd]);
  expect(await listBorrowers(stores)).toEqual([0, 1, 2]);
});

test('inside the first has a fixed path, and the others are numbered', () => {
  expect([0, 1, 2].map(insideStore)).toEqual([
    '/run/carrel/parent/objects',
    '/run/carrel/parent/alternates/0',
    '/run/carrel/parent/alternates/1',
  ]);
});

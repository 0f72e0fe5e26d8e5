import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { type FingerprintRequest, fingerprintFiles } from './work-tree-fingerprint.js';

/** Some files, none of which was changed within the last tick of the clock. */
async function makeFiles(): Promise<string> {
  const root = tempDir();
  writeFiles(root, { 'a.txt': 'a\n', 'deep/b.txt': 'b\n', 'passed/c.txt': 'c\n' });
  await settle(root);
  return root;
}

const look = async (root: string, request: Partial<FingerprintRequest> = {}) =>
  (await fingerprintFiles({ root, besides: [], passedOver: new Set(['passed']), ...request }))?.hash;

/** Until two fingerprints are equal: they never are while a change is recent. */
async function settle(root: string): Promise<string> {
  let last: string | undefined;
  for (;;) {
    const hash = await look(root);
    if (hash !== undefined && hash === last) return hash;
    last = hash;
  }
}

const CHANGES: Record<string, (root: string) => void> = {
  'a new file': root => writeFileSync(join(root, 'new.txt'), ''),
  'other content of the same size': root => writeFileSync(join(root, 'a.txt'), 'x\n'),
  'content whose time was set back': root => {
    writeFileSync(join(root, 'a.txt'), 'x\n');
    utimesSync(join(root, 'a.txt'), 1, 1);
  },
  'a file that is gone': root => rmSync(join(root, 'deep/b.txt')),
  'other permissions': root => chmodSync(join(root, 'a.txt'), 0o755),
  'another name': root => renameSync(join(root, 'a.txt'), join(root, 'z.txt')),
  'a link': root => symlinkSync('a.txt', join(root, 'link')),
  'an empty directory': root => mkdirSync(join(root, 'deep/empty')),
};

test.each(Object.keys(CHANGES))('%s changes the fingerprint', async name => {
  const root = await makeFiles();
  const before = await settle(root);
  CHANGES[name]?.(root);
  expect(await settle(root)).not.toBe(before);
});

test('excluded files and temporary files in the git directory do not change it', async () => {
  const [root, gitDir] = [await makeFiles(), tempDir()];
  const request = { besides: [gitDir], apart: '.jj' };
  const settled = async () => {
    await settle(root);
    return look(root, request);
  };
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/a\n');
  await settle(gitDir);
  const before = await settled();
  writeFiles(root, { 'passed/c.txt': 'other\n' });
  writeFileSync(join(gitDir, 'index.lock'), '');
  await settle(gitDir);
  expect(await settled()).toBe(before);
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/b\n');
  await settle(gitDir);
  expect(await settled()).not.toBe(before);
});

test('a very recent change never counts as equal', async () => {
  const root = await makeFiles();
  const { ctimeMs: now } = lstatSync(join(root, 'a.txt'));
  expect(await look(root, { now })).not.toBe(await look(root, { now }));
  expect(await look(root, { now: now + 1000 })).toBe(await look(root, { now: now + 1000 }));
});

test('above the limit there is no fingerprint', async () => {
  const root = await makeFiles();
  expect(await fingerprintFiles({ root, besides: [], passedOver: new Set(), most: 3 })).toBeUndefined();
});

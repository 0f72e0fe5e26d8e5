import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { overlayDir, requireOverlay } from '../../../test/helpers/pool/overlay.js';
import { mountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { listMounts } from '../files/mounts.js';
import { createOverlayProbe, findOverlayObstacle } from './overlay-obstacle.js';

beforeEach(requireOverlay);

test('where overlays work there is no obstacle, and the check leaves nothing behind', async () => {
  const root = overlayDir();
  expect(await findOverlayObstacle(root)).toBeNull();
  expect(await findOverlayObstacle(join(root, 'yet/to be made'))).toBeNull();
  expect(readdirSync(root)).toEqual([]);
  expect(listMounts(root)).toEqual([]);
});

test("reports a file system that can't hold an upper layer: another overlay", async () => {
  const root = overlayDir();
  const [lower, upper, work, target] = ['lower', 'upper', 'work', 'tree'].map(name => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  for (const path of [lower, upper, work, target]) mkdirSync(path);
  await mountOverlay({ lower, upper, work, target, volatile: true });
  expect(await findOverlayObstacle(target)).toMatch(
    /^the file system of .* can't be the upper layer of an overlay$/,
  );
});

test("reports a path that mount options can't contain", async () => {
  const path = join(overlayDir(), 'a:b');
  expect(await findOverlayObstacle(path)).toContain("mount options can't contain the path");
  expect(existsSync(path)).toBe(false);
});

test('a probe checks each directory once', async () => {
  const probe = createOverlayProbe();
  const root = overlayDir();
  const first = probe(root);
  expect(probe(root)).toBe(first);
  expect(probe(join(root, 'other'))).not.toBe(first);
  await Promise.all([first, probe(join(root, 'other'))]);
});

test('a probe for siblings checks once for all of them', async () => {
  const probe = createOverlayProbe(dirname);
  const root = overlayDir();
  const first = probe(join(root, 'one'));
  expect(probe(join(root, 'other'))).toBe(first);
  await first;
});

import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { overlayDir, requireOverlay } from '../../../test/helpers/pool/overlay.js';
import { findMount, readMountTable } from './mount-table.js';
import {
  bindMount,
  isMounted,
  isMountOf,
  lowerLayersOf,
  mountOverlay,
  mountOverlayForReading,
  mountOverlayOnce,
  type OverlayMount,
  replaceOverlay,
  unmountOverlay,
  unmountUnused,
} from './overlay-mount.js';

beforeEach(requireOverlay);

/** Layers with some files, in a directory whose name has what mount tables and options escape. */
function prepare(folder = 'a b=c#d'): OverlayMount {
  const root = join(overlayDir(), folder);
  const [lower, upper, work, target] = ['lower', 'upper', 'work', 'tree'].map(name => join(root, name));
  for (const path of [join(lower as string, 'dir'), upper, work, target])
    mkdirSync(path as string, { recursive: true });
  writeFileSync(join(lower as string, 'dir/file'), 'below');
  return { lower, upper, work, target, volatile: false } as OverlayMount;
}

test('an overlay is found by its layers while mounted, and not afterwards', async () => {
  const mount = prepare();
  expect(isMounted(mount.target)).toBe(false);
  await mountOverlay(mount);
  expect(isMountOf(mount)).toBe(true);
  expect(isMountOf({ ...mount, lower: `${mount.lower}x` })).toBe(false);
  expect(isMountOf({ ...mount, volatile: true })).toBe(false);
  const entry = findMount(mount.target);
  expect(entry && lowerLayersOf(entry)).toEqual([mount.lower]);
  await unmountOverlay(mount.target);
  await unmountOverlay(mount.target);
  expect(isMounted(mount.target)).toBe(false);
});

test('an overlay replaces the one at its place, and is mounted where there is none', async () => {
  const [mount, other] = [prepare(), prepare()];
  await replaceOverlay(mount);
  writeFileSync(join(mount.target, 'dir/file'), 'above');
  const next = { ...other, lower: mount.lower, target: mount.target };
  await replaceOverlay(next);
  expect(isMountOf(next)).toBe(true);
  expect(readFileSync(join(mount.target, 'dir/file'), 'utf8')).toBe('below');
  expect(readFileSync(join(mount.upper, 'dir/file'), 'utf8')).toBe('above');
  await unmountOverlay(mount.target);
  expect(isMounted(mount.target)).toBe(false);
});

test('a volatile one is distinguished from others, and its work directory is not used twice', async () => {
  const mount = { ...prepare(), volatile: true };
  await mountOverlay(mount);
  expect(isMountOf(mount)).toBe(true);
  expect(isMountOf({ ...mount, volatile: false })).toBe(false);
  await unmountOverlay(mount.target);
  await expect(mountOverlay(mount)).rejects.toMatchObject({ code: 'OVERLAY_MOUNT_FAILED' });
  rmSync(mount.work, { recursive: true });
  mkdirSync(mount.work);
  await mountOverlay(mount);
  expect(readFileSync(join(mount.target, 'dir/file'), 'utf8')).toBe('below');
});

test('what is written, renamed and deleted stays out of the lower layer, and is read from the upper one', async () => {
  const mount = prepare();
  await mountOverlay(mount);
  appendFileSync(join(mount.target, 'dir/file'), ', above');
  renameSync(join(mount.target, 'dir'), join(mount.target, 'renamed'));
  await unmountOverlay(mount.target);
  expect(readFileSync(join(mount.lower, 'dir/file'), 'utf8')).toBe('below');
  await mountOverlayForReading(mount);
  expect(readdirSync(mount.target)).toEqual(['renamed']);
  expect(readFileSync(join(mount.target, 'renamed/file'), 'utf8')).toBe('below, above');
  expect(() => writeFileSync(join(mount.target, 'new'), '')).toThrow('EROFS');
});

test('an exclusive overlay is mounted once, and a bind mount of it is the same file system', async () => {
  const mount = { ...prepare(), exclusive: true };
  await mountOverlay(mount);
  const other = `${mount.target}-2`;
  mkdirSync(other);
  await expect(mountOverlay({ ...mount, target: other })).rejects.toMatchObject({
    code: 'OVERLAY_MOUNT_FAILED',
  });
  await bindMount(mount.target, other);
  expect(lstatSync(other).dev).toBe(lstatSync(mount.target).dev);
  expect(await unmountUnused(mount.target)).toBe(true);
  expect(await unmountUnused(mount.target)).toBe(false);
  expect(readFileSync(join(other, 'dir/file'), 'utf8')).toBe('below');
});

for (const name of ['a,b', 'a:b', 'a\\b', 'a"b', 'a\nb'])
  test(`a path with a separator or quote of mount options is refused: ${JSON.stringify(name)}`, async () => {
    const mount = prepare(name);
    await expect(mountOverlay({ ...mount, lower: '/' })).rejects.toMatchObject({
      code: 'OVERLAY_MOUNT_FAILED',
    });
    expect(isMounted(mount.target)).toBe(false);
  });

test('of several concurrent mounts over different layers one succeeds', async () => {
  const mount = { ...prepare(), exclusive: true };
  await mountOverlay(mount);
  appendFileSync(join(mount.target, 'dir/file'), ', above');
  await unmountUnused(mount.target);
  const lower = `${mount.lower}-other`;
  mkdirSync(join(lower, 'dir'), { recursive: true });
  writeFileSync(join(lower, 'dir/new'), 'new');
  await expect(mountOverlay({ ...mount, lower })).rejects.toMatchObject({ code: 'OVERLAY_MOUNT_FAILED' });
  const other = { ...mount, lower, exclusive: false };
  await Promise.all([1, 2, 3, 4].map(() => mountOverlayOnce(other, `${mount.work}.lock`)));
  expect(readMountTable().filter(({ target }) => target === mount.target)).toHaveLength(1);
  expect(readFileSync(join(mount.target, 'dir/file'), 'utf8')).toBe('below, above');
  expect(readFileSync(join(mount.target, 'dir/new'), 'utf8')).toBe('new');
  await unmountOverlay(mount.target);
  await expect(
    mountOverlayOnce({ ...other, lower: '/nonexistent' }, `${mount.work}.lock`),
  ).rejects.toMatchObject({ code: 'OVERLAY_MOUNT_FAILED' });
});

test('a failure includes the message of mount(8)', async () => {
  const mount = prepare();
  rmSync(mount.upper, { recursive: true });
  await expect(mountOverlay(mount)).rejects.toThrow(/^cannot mount an overlay at .*tree: mount: /);
});

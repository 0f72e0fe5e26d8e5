import { expect, test } from 'vitest';
import { findMount, optionOf, parseMountTable, readMountTable } from './mount-table.js';

const TABLE = String.raw`22 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,errors=remount-ro
46 22 0:41 / /tmp/a\040b\134c rw,relatime - overlay overlay rw,lowerdir=/x\040y:/z,upperdir=/u\054v,volatile
`;

test('parses a mount table with escapes, with and without optional fields', () => {
  const [root, overlay] = parseMountTable(TABLE);
  expect(root).toEqual({
    target: '/',
    type: 'ext4',
    options: ['rw', 'relatime', 'rw', 'errors=remount-ro'],
  });
  expect(overlay).toMatchObject({ target: String.raw`/tmp/a b\c`, type: 'overlay' });
  expect(overlay && optionOf(overlay, 'lowerdir')).toBe('/x y:/z');
  expect(overlay && optionOf(overlay, 'upperdir')).toBe('/u,v');
  expect(overlay && optionOf(overlay, 'workdir')).toBeUndefined();
});

test.runIf(process.platform === 'linux')('the root is mounted, and an unused name is not', () => {
  expect(findMount('/')).toBeDefined();
  expect(findMount('/nonexistent')).toBeUndefined();
});

const MACOS = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect, root data)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk4s1 on /Users/me/work on it (1)/disk (hfs, local, nodev, nosuid, mounted by me)
//me@server/share on /Volumes/share (smbfs)
`;

test('parses the output of mount on macOS, including names with spaces and parentheses', () => {
  const table = readMountTable(() => ({ pid: 1, status: 0, stdout: MACOS }), false);
  expect(table.map(({ target, type }) => `${target} ${type}`)).toEqual([
    '/ apfs',
    '/dev devfs',
    '/System/Volumes/Data apfs',
    '/System/Volumes/Data/home autofs',
    '/Users/me/work on it (1)/disk hfs',
    '/Volumes/share smbfs',
  ]);
  expect(table[0]?.options).toEqual(['sealed', 'local', 'read-only', 'journaled']);
});

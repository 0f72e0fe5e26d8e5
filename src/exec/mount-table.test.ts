import { expect, test } from 'vitest';
import { findMount, optionOf, parseMountTable } from './mount-table.js';

const TABLE = String.raw`22 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,errors=remount-ro
46 22 0:41 / /tmp/a\040b\134c rw,relatime - overlay overlay rw,lowerdir=/x\040y:/z,upperdir=/u\054v,volatile
`;

test('a mount table is read with its escapes, and with and without optional fields', () => {
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

test.runIf(process.platform === 'linux')('the root is mounted, and a name that nobody has is not', () => {
  expect(findMount('/')).toBeDefined();
  expect(findMount('/nonexistent')).toBeUndefined();
});

import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Where something goes whose place in `aside` is taken: an earlier reset moved what was there then, did not come to its
 * end, and somebody has written since. Among the files, so that it is captured with them.
 */
export function placeForSecondCopy(aside: string): string {
  for (let count = 1; ; count++) {
    const place = join(aside, 'tree', `.again-${count}`);
    if (!lstatSync(place, { throwIfNoEntry: false })) return place;
  }
}

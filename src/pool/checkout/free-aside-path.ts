import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A free path for something whose place in `aside` is taken: an earlier reset moved a file there and did not
 * finish, and the holder has written it again since. Among the files, so that it is captured with them.
 */
export function placeForSecondCopy(aside: string): string {
  for (let count = 1; ; count++) {
    const place = join(aside, 'tree', `.again-${count}`);
    if (!lstatSync(place, { throwIfNoEntry: false })) return place;
  }
}

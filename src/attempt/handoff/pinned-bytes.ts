import { readSync } from 'node:fs';
import type { PinnedFile } from '../../git/files/pinned-file.js';

/** The first bytes of an open file, which is then closed; undefined when there is none. */
export function readPinnedBytes(file: PinnedFile | undefined, most: number): Buffer | undefined {
  if (!file) return undefined;
  try {
    const content = Buffer.alloc(Math.min(file.bytes, most));
    let at = 0;
    for (let count = -1; at < content.length && count !== 0; at += count)
      count = readSync(file.descriptor, content, at, content.length - at, at);
    return content.subarray(0, at);
  } finally {
    file.close();
  }
}

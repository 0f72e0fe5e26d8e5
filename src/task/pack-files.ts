import { dirname } from 'node:path';
import { DESK_DIRECTORIES } from './desk-layout.js';

/** What PLACE_SCRIPT takes: all contents in one, and where in it each file begins (from 1 on) and how long it is. */
export function packFiles(
  desk: string,
  files: ReadonlyMap<string, Buffer>,
): { readonly args: string[]; readonly bundle: Buffer } {
  const bundle = Buffer.concat([...files.values()]);
  const directories = new Set([...DESK_DIRECTORIES, ...[...files.keys()].map(dirname)]);
  let start = 1;
  const entries = [...files].flatMap(([path, { length }]) => {
    const entry = [path, String(start), String(length)];
    start += length;
    return entry;
  });
  return { args: [desk, String(bundle.length), [...directories].join('\n'), ...entries], bundle };
}

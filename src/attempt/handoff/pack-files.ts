import { dirname } from 'node:path';
import { HANDOFF_DIRECTORIES } from './handoff-layout.js';

/** Input for PLACE_SCRIPT: all contents concatenated, and the start (from 1) and length of each file. */
export function packFiles(
  handoff: string,
  files: ReadonlyMap<string, Buffer>,
): { readonly args: string[]; readonly bundle: Buffer } {
  const bundle = Buffer.concat([...files.values()]);
  const directories = new Set([...HANDOFF_DIRECTORIES, ...[...files.keys()].map(dirname)]);
  let start = 1;
  const entries = [...files].flatMap(([path, { length }]) => {
    const entry = [path, String(start), String(length)];
    start += length;
    return entry;
  });
  return { args: [handoff, String(bundle.length), [...directories].join('\n'), ...entries], bundle };
}

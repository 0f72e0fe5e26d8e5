import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { type BytePath, toBytePath, toBytes } from '../git/byte-path.js';
import { createTimeSlice } from './time-slice.js';

/** The unit of `blocks` in stat(2), whatever the file system's own block size. */
const BLOCK_BYTES = 512;

/**
 * Bytes that a directory and all below it take on disk; a file with several hard links counts once. Symbolic links are
 * not followed. What vanishes or can't be read meanwhile counts as nothing, and so does a directory that is not there.
 */
export async function measureDirectory(path: string): Promise<number> {
  const slice = createTimeSlice();
  const counted = new Set<string>();
  const pending: BytePath[] = [toBytePath(path)];
  let bytes = 0;
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const info = look(current);
    if (!info || isCounted(info, counted)) continue;
    bytes += info.blocks * BLOCK_BYTES;
    if (info.isDirectory()) for (const name of listNames(current)) pending.push(`${current}/${name}`);
    if (slice.isOver()) await slice.breathe();
  }
  return bytes;
}

function look(path: BytePath): Stats | undefined {
  return orUndefined(() => lstatSync(toBytes(path), { throwIfNoEntry: false }));
}

function isCounted(info: Stats, counted: Set<string>): boolean {
  if (info.nlink < 2 || info.isDirectory()) return false;
  const key = `${info.dev}:${info.ino}`;
  if (counted.has(key)) return true;
  counted.add(key);
  return false;
}

function listNames(path: BytePath): string[] {
  return orUndefined(() => readdirSync(toBytes(path), 'latin1')) ?? [];
}

function orUndefined<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { type BytePath, toBytePath, toBytes } from '../../git/byte-path.js';
import type { InspectionMeter } from '../../git/files/inspection-meter.js';
import { createTimeSlice } from './time-slice.js';

/** The unit of `blocks` in stat(2), whatever the file system's own block size. */
const BLOCK_BYTES = 512;

/**
 * Bytes on disk of a directory and everything below it; a file with several hard links counts once. Symbolic links are
 * not followed. Anything deleted or unreadable during the walk counts as 0, and so does a missing directory.
 * LOOK_TOO_LARGE with a meter.
 */
export async function measureDiskUsage(path: string, meter?: InspectionMeter): Promise<number> {
  const slice = createTimeSlice();
  const counted = new Set<string>();
  const pending: BytePath[] = [toBytePath(path)];
  let bytes = 0;
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const info = statOrUndefined(current);
    meter?.count(1);
    if (!info || isCounted(info, counted)) continue;
    bytes += info.blocks * BLOCK_BYTES;
    if (info.isDirectory()) for (const name of listNames(current)) pending.push(`${current}/${name}`);
    if (slice.isOver()) await slice.breathe();
  }
  return bytes;
}

function statOrUndefined(path: BytePath): Stats | undefined {
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

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory that can be filled up. */
export interface TightDisk {
  readonly path: string;
  /** Takes all of its space, but for this many bytes. */
  fill(left: number): void;
  /** Gives that space back. */
  free(): void;
  unmount(): void;
}

export function mountTightDisk(path: string, size: string): TightDisk {
  mkdirSync(path, { recursive: true });
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  if (status !== 0) throw new Error(`cannot mount a small file system: ${stderr}`);
  const filling = join(path, '.filling');
  return {
    path,
    fill: left => fill(path, filling, left),
    free: () => rmSync(filling, { force: true }),
    unmount: () => void spawnSync('umount', ['--lazy', path]),
  };
}

const CHUNK = Buffer.alloc(1 << 16);

function fill(disk: string, file: string, left: number): void {
  const descriptor = openSync(file, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk);
      const room = bavail * bsize - left;
      if (room < bsize) return;
      writeSync(descriptor, CHUNK, 0, Math.min(CHUNK.length, room - (room % bsize)));
    }
  } catch (error) {
    // Another process took the rest in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    ftruncateSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

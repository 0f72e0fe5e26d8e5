import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { requirePart } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';

/** A file system of a few hundred kilobytes, in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all of its space, but for this many bytes. */
  fill(left?: number): void;
  /** Gives that space back. */
  free(): void;
}

/** Needs the right to mount; without it the test is skipped. */
export function mountSmallDisk(context: TestContext, size: string): SmallDisk {
  const path = tempDir();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  requirePart(context, mounted.status === 0, 'small file systems');
  // Lazily: the test's own look at the database may not have been closed yet.
  onTestFinished(() => void spawnSync('umount', ['--lazy', path]));
  const filling = join(path, 'filling');
  return {
    path,
    fill: left => fill(path, filling, left ?? 0),
    free: () => rmSync(filling, { force: true }),
  };
}

function fill(disk: string, file: string, left: number): void {
  const descriptor = openSync(file, 'a');
  const { bsize } = statfsSync(disk);
  try {
    for (;;) {
      const { bavail } = statfsSync(disk);
      if (bavail * bsize < left + bsize) return;
      writeSync(descriptor, Buffer.alloc(bsize));
    }
  } finally {
    closeSync(descriptor);
  }
}

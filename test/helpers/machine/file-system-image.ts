import { spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, type TestContext } from 'vitest';
import { requirePart } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';

/** File systems that can share blocks between files. */
export const REFLINK_FILE_SYSTEMS = ['btrfs', 'xfs'] as const;

/** The least that mkfs.xfs takes; the file is sparse. */
const IMAGE_BYTES = 320 * 1024 ** 2;

/** A separate file system, in a file; returns the directory where it is mounted. Removed when the test ends. */
export function mountImage(context: TestContext, kind: (typeof REFLINK_FILE_SYSTEMS)[number]): string {
  const directory = tempDir();
  const [image, disk] = [join(directory, 'image'), join(directory, 'disk')];
  writeFileSync(image, '');
  truncateSync(image, IMAGE_BYTES);
  mkdirSync(disk);
  const made = spawnSync(`mkfs.${kind}`, ['-q', image]);
  requirePart(context, made.status === 0, kind);
  // The loop device goes with the mount.
  const mounted = spawnSync('mount', ['-o', 'loop', '-t', kind, image, disk]);
  requirePart(context, mounted.status === 0, kind);
  onTestFinished(() => void spawnSync('umount', ['--lazy', disk]));
  return disk;
}

import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Overview } from '../../../domain/api/overview.js';
import { isMissing } from '../../../domain/error/error.js';
import type { Places } from '../../../operations/context.js';

type Disk = Overview['disks'][number];

export const measureDisks = ({ stateDir, cacheDir }: Places): Promise<Disk[]> =>
  Promise.all([measureDisk('state', stateDir), measureDisk('cache', cacheDir)]);

async function measureDisk(name: Disk['name'], path: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statOfDisk(path);
  return { name, path, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** A missing directory will be created on the disk of its parent. */
async function statOfDisk(path: string): Promise<StatsFs> {
  try {
    return await statfs(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return statOfDisk(dirname(path));
  }
}

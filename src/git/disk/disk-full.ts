import { type StatsFs, statfsSync } from 'node:fs';
import { carrelError, errnoOf } from '../../domain/error/error.js';

/** Below this a file system counts as full: git could not write an index, a few objects and a reflog. */
const LEAST_BYTES = 1024 ** 2;

/** The first of these paths whose file system is full. git has the same exit status for that and other errors. */
export async function findFullPlace(places: readonly string[]): Promise<string | undefined> {
  for (const place of places) {
    const info = statOrUndefined(place);
    if (!info) continue;
    const isOutOfFiles = info.files > 0 && info.ffree === 0;
    if (info.bavail * info.bsize < LEAST_BYTES || isOutOfFiles) return place;
  }
  return undefined;
}

function statOrUndefined(place: string): StatsFs | undefined {
  try {
    return statfsSync(place);
  } catch {
    return undefined;
  }
}

/** DISK_FULL for a system call that found no space, which does not say where; other errors unchanged. */
export async function explainFullDisk(error: unknown, places: readonly string[]): Promise<unknown> {
  if (!['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '')) return error;
  // Copying reports both paths; the second one is full.
  const { path: from, dest = from } = error as NodeJS.ErrnoException & { dest?: string };
  const path = dest ?? (await findFullPlace(places)) ?? places[0] ?? '/';
  return carrelError('DISK_FULL', { path }, error);
}

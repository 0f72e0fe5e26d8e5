import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import { isBlobHash } from '../blob-store.js';
import { openBlobFiles } from './blob-files.js';

export interface OldBlobs {
  readonly root: string;
  /** Milliseconds since 1970: what was stored, or offered again, after this time stays. */
  readonly before: number;
  readonly isNeeded: (hash: string) => boolean;
  readonly isDryRun: boolean;
}

export interface RemovedBlobs {
  readonly removed: number;
  readonly freedBytes: number;
  readonly kept: number;
}

/** Removes blobs that are old and not needed. A sender that offers one of them in the meantime keeps it. */
export async function removeOldBlobs({ root, before, isNeeded, isDryRun }: OldBlobs): Promise<RemovedBlobs> {
  const files = openBlobFiles(root, root);
  let [removed, freedBytes, kept] = [0, 0, 0];
  for (const hash of await listBlobs(root)) {
    const file = files.fileOf(hash);
    const found = await stat(file).catch(ignoreMissing);
    if (!found) continue;
    const isOld = found.mtimeMs < before && !isNeeded(hash);
    if (isOld && (isDryRun || (await removeOne(file, await files.createDraft(), before)))) {
      removed++;
      freedBytes += found.size;
    } else kept++;
  }
  return { removed, freedBytes, kept };
}

async function listBlobs(root: string): Promise<string[]> {
  const folders = ((await readdir(root).catch(ignoreMissing)) ?? []).filter(name =>
    /^[0-9a-f]{2}$/.test(name),
  );
  const names = await Promise.all(folders.map(folder => readdir(join(root, folder))));
  return names.flat().filter(isBlobHash);
}

/** Renamed first: from then on a sender stores it again, and what was offered before that is put back. */
async function removeOne(file: string, aside: string, before: number): Promise<boolean> {
  await rename(file, aside);
  if ((await stat(aside)).mtimeMs < before) {
    await rm(aside);
    return true;
  }
  await rename(aside, file);
  return false;
}

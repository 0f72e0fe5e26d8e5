import { carrelError } from '../../../domain/error/error.js';
import type { BlobFiles } from './blob-files.js';

/** Counting walks over all blobs; other writers are seen after this time. */
const COUNT_AGE_MS = 10_000;

/** Room in a directory of blobs. */
export interface Quota {
  /** BLOB_QUOTA_REACHED when that many bytes more are too many; they count until `end` is called. */
  reserve(bytes: number): Promise<{ end(): void }>;
}

export function createQuota(files: BlobFiles, where: string, quotaBytes: number | undefined): Quota {
  let [counted, countedAt, reserved] = [0, Number.NEGATIVE_INFINITY, 0];
  const count = async () => {
    if (performance.now() - countedAt < COUNT_AGE_MS && counted + reserved < (quotaBytes ?? 0) * 0.9) return;
    counted = await files.countBytes();
    countedAt = performance.now();
  };
  return {
    reserve: async bytes => {
      if (quotaBytes === undefined) return { end: () => undefined };
      await count();
      const usedBytes = counted + reserved;
      if (usedBytes + bytes > quotaBytes)
        throw carrelError('BLOB_QUOTA_REACHED', { where, bytes, usedBytes, quotaBytes });
      reserved += bytes;
      let isOpen = true;
      return {
        end: () => {
          if (isOpen) reserved -= bytes;
          isOpen = false;
          // What was reserved is on the disk now, or not at all.
          countedAt = Number.NEGATIVE_INFINITY;
        },
      };
    },
  };
}

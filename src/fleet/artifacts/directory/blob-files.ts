import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../../domain/error/error.js';

/** Blobs as files: `ab/abcd…`, and `drafts/` for what is not whole yet. */
export interface BlobFiles {
  readonly root: string;
  fileOf(hash: string): string;
  /** Of a whole blob; undefined when it is not there. */
  sizeOf(hash: string): Promise<number | undefined>;
  /** The same, and it counts as new from now on: it is not removed soon. */
  renew(hash: string): Promise<number | undefined>;
  /** A new path in the same file system. */
  createDraft(): Promise<string>;
  /** Checks the bytes of a draft and makes them the blob, durably. A wrong draft is removed: BLOB_CORRUPT. */
  admit(hash: string, draft: string): Promise<void>;
  /** Bytes of all blobs and of uploads that can continue; drafts are reserved while they are written. */
  countBytes(): Promise<number>;
}

const DRAFTS = 'drafts';

export function openBlobFiles(root: string, where: string): BlobFiles {
  const fileOf = (hash: string) => join(root, hash.slice(0, 2), hash);
  return {
    root,
    fileOf,
    sizeOf: async hash => (await stat(fileOf(hash)).catch(ignoreMissing))?.size,
    renew: async hash => {
      const now = new Date();
      await utimes(fileOf(hash), now, now).catch(ignoreMissing);
      return (await stat(fileOf(hash)).catch(ignoreMissing))?.size;
    },
    createDraft: async () => {
      await mkdir(join(root, DRAFTS), { recursive: true, mode: 0o700 });
      return join(root, DRAFTS, randomBytes(12).toString('hex'));
    },
    admit: async (hash, draft) => {
      const found = await syncAndHash(draft);
      if (found !== hash) {
        await rm(draft, { force: true });
        throw carrelError('BLOB_CORRUPT', { hash, where, found });
      }
      const file = fileOf(hash);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      // Another writer may have put the same bytes there.
      await rename(draft, file);
    },
    countBytes: () => countBytes(root),
  };
}

/** Drafts of processes that were killed. A living writer needs less than a day. */
export async function removeOldDrafts(root: string): Promise<void> {
  const directory = join(root, DRAFTS);
  for (const name of (await readdir(directory).catch(ignoreMissing)) ?? []) {
    const found = await stat(join(directory, name)).catch(ignoreMissing);
    if (found && Date.now() - found.mtimeMs > DRAFT_LIFE_MS) await rm(join(directory, name), { force: true });
  }
}

const DRAFT_LIFE_MS = 24 * 3_600_000;

/** What is hashed is what the disk has. */
async function syncAndHash(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
    const hash = createHash('sha256');
    for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

async function countBytes(root: string): Promise<number> {
  const names = await readdir(root, { recursive: true }).catch(ignoreMissing);
  let bytes = 0;
  for (const name of names ?? []) {
    if (name.startsWith(DRAFTS)) continue;
    const found = await stat(join(root, name)).catch(ignoreMissing);
    if (found?.isFile()) bytes += found.size;
  }
  return bytes;
}

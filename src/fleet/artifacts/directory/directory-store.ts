import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { carrelError, errnoOf } from '../../../domain/error/error.js';
import { explainFullDisk } from '../../../git/disk/disk-full.js';
import { requireHash } from '../blob-source.js';
import type { BlobOptions, BlobStore } from '../blob-store.js';
import { PATIENCE_MS, TemporaryFailure, untilDeadline } from '../patience.js';
import { type BlobFiles, openBlobFiles, removeOldDrafts } from './blob-files.js';
import { createQuota, type Quota } from './quota.js';

export interface DirectoryOptions {
  readonly quotaBytes?: number | undefined;
  readonly patienceMs?: number | undefined;
}

/** Marks a directory as a store: the empty directory of a share that is not mounted is not one. */
const MARK = 'carrel-blobs';

/** Makes a directory a store of blobs. Idempotent. */
export async function prepareDirectory(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeFile(join(root, MARK), 'Blobs of Carrel, by their SHA-256.\n', { mode: 0o600 });
  await removeOldDrafts(root);
}

/** Blobs in a directory that all hosts see, such as a shared file system. */
export function openDirectoryStore(root: string, options: DirectoryOptions = {}): BlobStore {
  const name = `the directory ${root}`;
  const files = openBlobFiles(root, name);
  const quota = createQuota(files, name, options.quotaBytes);
  const patiently = <T>(call: BlobOptions | undefined, action: (signal: AbortSignal) => Promise<T>) =>
    untilDeadline({ where: name, patienceMs: options.patienceMs ?? PATIENCE_MS, ...call }, signal =>
      action(signal).catch(explainAbsence),
    );
  return {
    name,
    has: (hashes, call) =>
      patiently(call, async () => {
        await access(join(root, MARK));
        const sizes = await Promise.all(hashes.map(hash => files.sizeOf(hash)));
        return new Set(hashes.filter((_, at) => sizes[at] !== undefined));
      }),
    put: (hash, source, call) =>
      patiently(call, async signal => {
        await access(join(root, MARK));
        if ((await files.renew(hash)) !== undefined) return;
        await requireHash(hash, source);
        await writeBlob({ files, quota, hash, signal }, source);
      }),
    get: (hash, call) =>
      patiently(call, async () => {
        await access(join(root, MARK));
        if ((await files.sizeOf(hash)) === undefined)
          throw carrelError('BLOB_MISSING', { hash, where: name });
        return createReadStream(files.fileOf(hash), { start: call?.from ?? 0 });
      }),
  };
}

interface WritingCall {
  readonly files: BlobFiles;
  readonly quota: Quota;
  readonly hash: string;
  readonly signal: AbortSignal;
}

async function writeBlob(
  { files, quota, hash, signal }: WritingCall,
  source: Parameters<BlobStore['put']>[1],
): Promise<void> {
  const room = await quota.reserve(source.size);
  const draft = await files.createDraft();
  try {
    const body = source.open(0, source.size);
    await pipeline(body, createWriteStream(draft, { flags: 'wx', mode: 0o600 }), { signal });
    await files.admit(hash, draft);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw await explainFullDisk(error, [files.root]);
  } finally {
    room.end();
  }
}

/** A share that is gone for a while: not mounted, stale, or its server does not answer. */
function explainAbsence(error: unknown): never {
  const errno = errnoOf(error);
  if (errno !== undefined && AWAY.includes(errno)) throw new TemporaryFailure(`${errno}: is it mounted?`);
  throw error;
}

const AWAY = ['ENOENT', 'ENOTDIR', 'ESTALE', 'EIO', 'ENOTCONN', 'EHOSTDOWN', 'ETIMEDOUT'];

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attempt } from '../../../domain/batch/attempt.js';
import { ignoreMissing } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import {
  MOST_RESULT_BYTES,
  MOST_RESULT_FILES,
  type ResultManifest,
  ResultManifestSchema,
} from '../../../domain/fleet/result-manifest.js';
import { formatSize } from '../../../domain/text/format-quantity.js';
import type { BlobOptions, BlobStore } from '../../artifacts/blob-store.js';
import { uploadBytes, uploadFile } from '../../artifacts/upload-blob.js';
import { type ClaimName, nameOfClaim } from '../trust/worker-terms.js';

export interface PackedResult {
  readonly manifest: ResultManifest;
  /** Of the manifest, which names all other blobs. */
  readonly hash: string;
}

/**
 * Stores the files of an attempt and a manifest in the name of its claim, before the claim is completed: a result that
 * is recorded has its files, and the files of a stale claim are in no one's way. Idempotent.
 */
export async function packResult(
  store: BlobStore,
  claim: ClaimName,
  { attempt, directory }: { readonly attempt: Attempt; readonly directory: string },
  options?: BlobOptions,
): Promise<PackedResult> {
  const { found, dropped } = await listFiles(directory);
  const files = [];
  for (const { path, size } of found)
    files.push({ path, size, hash: await uploadFile(store, join(directory, path), options) });
  const manifest = ResultManifestSchema.parse({ claim: nameOfClaim(claim), attempt, files, dropped });
  return { manifest, hash: await uploadBytes(store, Buffer.from(canonicalJson(manifest)), options) };
}

interface FoundFiles {
  readonly found: readonly { readonly path: string; readonly size: number }[];
  readonly dropped: readonly string[];
}

/** The record travels with the manifest, and links lead elsewhere. */
async function listFiles(directory: string): Promise<FoundFiles> {
  const found: { path: string; size: number }[] = [];
  const dropped: string[] = [];
  const names = (await readdir(directory, { recursive: true }).catch(ignoreMissing)) ?? [];
  for (const path of names.filter(name => name !== 'attempt.json').sort()) {
    const stats = await lstat(join(directory, path));
    if (stats.isDirectory()) continue;
    if (!stats.isFile()) dropped.push(`${path} is not a file`);
    else if (stats.size > MOST_RESULT_BYTES) dropped.push(`${path} has ${formatSize(stats.size)}`);
    else if (found.length === MOST_RESULT_FILES) dropped.push(`${path} is one file too many`);
    else found.push({ path, size: stats.size });
  }
  return { found, dropped };
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AttemptPlace } from '../../../batch/record/run-place.js';
import type { Attempt } from '../../../domain/batch/attempt.js';
import { carrelError } from '../../../domain/error/error.js';
import { canonicalJson } from '../../../domain/fleet/canonical-json.js';
import type { Job } from '../../../domain/fleet/job.js';
import { type ResultManifest, ResultManifestSchema } from '../../../domain/fleet/result-manifest.js';
import { fileSource, hashFile } from '../../artifacts/blob-source.js';
import type { BlobOptions, BlobStore } from '../../artifacts/blob-store.js';
import { uploadBytes } from '../../artifacts/upload-blob.js';

const PATCH = 'patch.diff';

/** Stores the work of an attempt that awaits grading: its record and its patch. Returns the hash of the manifest. */
export async function packWork(
  store: BlobStore,
  attempt: Attempt,
  { patchFile }: Pick<AttemptPlace, 'patchFile'>,
  options?: BlobOptions,
): Promise<string> {
  const source = await fileSource(patchFile);
  const hash = await hashFile(patchFile);
  await store.put(hash, source, options);
  const manifest: ResultManifest = {
    claim: 'ungraded',
    attempt,
    files: [{ path: PATCH, size: source.size, hash }],
    dropped: [],
  };
  return uploadBytes(store, Buffer.from(canonicalJson(ResultManifestSchema.parse(manifest))), options);
}

/** Brings that work to the place of its attempt on the host that grades it. JOB_INVALID. */
export async function unpackWork(
  bring: (hash: string, name: string) => Promise<string>,
  job: Job,
  { patchFile }: Pick<AttemptPlace, 'patchFile'>,
): Promise<Attempt> {
  const invalid = (problem: string) => carrelError('JOB_INVALID', { problem });
  if (job.work === undefined) throw invalid('it is to be graded, and names no work');
  const text = await readFile(await bring(job.work, 'work.json'), 'utf8');
  const { attempt, files } = ResultManifestSchema.parse(JSON.parse(text));
  if (attempt.taskId !== job.task || attempt.attempt !== job.attempt || !attempt.awaitsGrading)
    throw invalid(`its work is of attempt ${attempt.attempt} at ${attempt.taskId}`);
  const patch = files.find(({ path }) => path === PATCH);
  if (!patch) throw invalid('its work has no patch');
  await mkdir(dirname(patchFile), { recursive: true });
  await writeFile(patchFile, await readFile(await bring(patch.hash, PATCH)));
  return attempt;
}

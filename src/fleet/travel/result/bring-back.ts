import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AttemptPlace } from '../../../batch/record/run-place.js';
import type { OpenRun } from '../../../batch/record/run-store.js';
import type { Attempt } from '../../../domain/batch/attempt.js';
import { carrelError } from '../../../domain/error/error.js';
import { type ResultManifest, ResultManifestSchema } from '../../../domain/fleet/result-manifest.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import type { BlobOptions, BlobStore } from '../../artifacts/blob-store.js';
import { downloadBlob } from '../../artifacts/download-blob.js';

/** The result that the engine has recorded for one attempt. */
export interface ExpectedResult {
  /** The name of the claim. */
  readonly claim: string;
  readonly task: string;
  readonly attempt: number;
  /** As in the job. */
  readonly identity: string;
  /** The hash of the manifest. */
  readonly manifest: string;
}

/**
 * Writes a result into the directory of its run exactly as a local attempt does: files first, then the record and its
 * line in the index. Again has no effect. A manifest that is not about this attempt, or that names a path outside of
 * it, is refused before anything is written: RESULT_REFUSED. BLOB_CORRUPT, BLOB_MISSING, RUN_LOST.
 */
export async function bringBack(
  run: Pick<OpenRun, 'place' | 'attempts' | 'record' | 'requireOurs'>,
  store: BlobStore,
  expected: ExpectedResult,
  options: BlobOptions = {},
): Promise<Attempt> {
  const place = run.place.attempt(expected.task, expected.attempt);
  await mkdir(place.directory, { recursive: true });
  return withScratchDirectory(run.place.directory, async scratch => {
    const manifest = await readManifest(store, expected, { scratch, place, options });
    const attempt = settle(manifest.attempt);
    const before = run.attempts().find(each => isSame(each, attempt));
    if (before) return before;
    const incoming = join(scratch, 'files');
    for (const { path, size, hash } of manifest.files) {
      await downloadBlob(store, hash, join(incoming, path), { ...options, limitBytes: size });
      if ((await stat(join(incoming, path))).size !== size)
        throw refused(expected, `${path} does not have ${size} bytes`);
    }
    run.requireOurs();
    for (const { path } of manifest.files) await moveInto(place.directory, incoming, path);
    await run.record(attempt);
    return attempt;
  });
}

const MOST_MANIFEST_BYTES = 8 * 1024 ** 2;

async function readManifest(
  store: BlobStore,
  expected: ExpectedResult,
  { scratch, place, options }: { scratch: string; place: AttemptPlace; options: BlobOptions },
): Promise<ResultManifest> {
  const file = join(scratch, 'manifest');
  await downloadBlob(store, expected.manifest, file, { ...options, limitBytes: MOST_MANIFEST_BYTES });
  const parsed = ResultManifestSchema.safeParse(parse(await readFile(file, 'utf8')));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refused(expected, `its manifest, ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const problem = findProblem(parsed.data, expected, place);
  if (problem !== undefined) throw refused(expected, problem);
  return parsed.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const refused = ({ claim }: ExpectedResult, problem: string) =>
  carrelError('RESULT_REFUSED', { claim, problem });

/** Reports read the paths of a record, so they are the usual ones or none. */
function findProblem(
  { claim, attempt, files }: ResultManifest,
  expected: ExpectedResult,
  { relative }: AttemptPlace,
): string | undefined {
  if (claim !== expected.claim) return `it is of the claim ${claim}`;
  if (attempt.taskId !== expected.task || attempt.attempt !== expected.attempt)
    return `it is of attempt ${attempt.attempt} at ${attempt.taskId}`;
  if (attempt.identity !== expected.identity) return `it has the identity ${attempt.identity}`;
  if (attempt.logPath !== `${relative}/agent.log`) return `it has the log ${attempt.logPath}`;
  if (attempt.patchPath !== null && attempt.patchPath !== `${relative}/patch.diff`)
    return `it has the patch ${attempt.patchPath}`;
  const paths = files.map(({ path }) => path);
  if (attempt.patchPath !== null && !paths.includes('patch.diff')) return 'its patch is missing';
  if (new Set(paths).size !== paths.length) return 'it names a file twice';
  const nested = paths.find(path => paths.some(other => other.startsWith(`${path}/`)));
  if (nested !== undefined) return `${nested} is a file and a directory`;
  return undefined;
}

/** A kept workspace is on the host of the worker: here its path would name other files, or none. */
const settle = (attempt: Attempt): Attempt => ({ ...attempt, worktreePath: null });

const isSame = (one: Attempt, other: Attempt): boolean =>
  one.taskId === other.taskId &&
  one.attempt === other.attempt &&
  one.startedAt === other.startedAt &&
  one.awaitsGrading === other.awaitsGrading &&
  one.identity === other.identity;

/** A rename replaces a link that is in its way, and does not follow it. */
async function moveInto(directory: string, incoming: string, path: string): Promise<void> {
  const target = join(directory, path);
  await mkdir(dirname(target), { recursive: true });
  await rename(join(incoming, path), target);
}

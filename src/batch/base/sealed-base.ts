import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvalBase } from '../../domain/batch/eval-item.js';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { hashListing } from '../../git/files/listing-hash.js';
import type { Context } from '../../operations/context.js';
import { makeEvalPlaces } from './eval-places.js';
import { findSealed, SEAL_FILE, writeRepository } from './sealed-base-repository.js';
import { type BaseSource, describeSource } from './sealed-base-source.js';

/**
 * A repository with one commit that has no parents and holds the files that a task starts from, and with nothing else: no
 * history, tag, remote, reflog or object that reveals what came later. It is never worked in: attempts work in
 * repositories that borrow its objects.
 */
export interface SealedBase {
  readonly hash: string;
  readonly directory: string;
  readonly gitDir: string;
  readonly commit: string;
}

/**
 * The sealed base of a task: the one of an earlier run if it is unchanged, or a new one. The same
 * files give the same commit id. Safe across processes: it is built elsewhere and renamed into place. BASE_UNAVAILABLE.
 */
export async function sealBase(
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
  base: EvalBase,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SealedBase> {
  return sealSource(context, await describeSource(context, base, options.signal), options);
}

/** The same from a source that is known already. */
export async function sealSource(
  context: Pick<Context, 'places'>,
  source: BaseSource,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SealedBase> {
  const { bases, root } = await makeEvalPlaces(context);
  const directory = join(bases, source.hash);
  if (!(await findSealed(directory))) {
    await withScratchDirectory(root, async scratch => {
      const draft = join(scratch, 'base');
      await writeSealed(draft, source, options.signal);
      await putInPlace(draft, directory, join(scratch, 'damaged'));
    });
  }
  const sealed = await findSealed(directory);
  if (!sealed) throw carrelError('INTERNAL', { problem: `${directory} changed right after it was written` });
  return { ...sealed, hash: source.hash };
}

async function writeSealed(
  draft: string,
  source: BaseSource,
  signal: AbortSignal | undefined,
): Promise<void> {
  const gitDir = join(draft, '.git');
  await writeRepository(gitDir);
  const commit = await source.write(gitDir, signal);
  const seal = { commit, objects: await hashListing(gitDir, 'objects') };
  await writeFile(join(draft, SEAL_FILE), JSON.stringify(seal));
}

/**
 * Another process may have created the same base first; a damaged one is replaced. Only a directory that is there is
 * moved aside, so that processes which create the same base at once never take a new one away from each other.
 */
async function putInPlace(draft: string, directory: string, aside: string): Promise<void> {
  if ((await moveTo(draft, directory)) || (await findSealed(directory))) return;
  await rename(directory, aside).catch(ignoreAbsence);
  await moveTo(draft, directory);
}

/** Whether the place was free. */
async function moveTo(draft: string, directory: string): Promise<boolean> {
  try {
    await rename(draft, directory);
    return true;
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    return false;
  }
}

function ignoreAbsence(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

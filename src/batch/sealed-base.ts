import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf } from '../domain/error.js';
import type { EvalBase } from '../domain/eval-item.js';
import { withScratchDirectory } from '../git/scratch-directory.js';
import { hashListing } from '../git/work-tree/listing.js';
import type { Context } from '../operations/context.js';
import { makeEvalPlaces } from './provider-places.js';
import { findSealed, SEAL_FILE, writeRepository } from './sealed-base-repository.js';
import { type BaseSource, describeSource } from './sealed-base-source.js';

/**
 * A repository with one commit that has no parents and holds the files that a task starts from, and with nothing else: no
 * history, tag, remote, reflog or object by which anybody could look up what came later. It is never worked in: what
 * attempts work in borrows its objects.
 */
export interface SealedBase {
  readonly hash: string;
  readonly directory: string;
  readonly gitDir: string;
  readonly commit: string;
}

/**
 * The sealed base of a task: the one that an earlier run left when it is still as it was left, or a new one. The same
 * files give the same commit id. Safe among processes: it is made aside and takes its place whole. BASE_UNAVAILABLE.
 */
export async function sealBase(
  context: Context,
  base: EvalBase,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SealedBase> {
  const { bases, root } = await makeEvalPlaces(context);
  const source = await describeSource(context, base, options.signal);
  const directory = join(bases, source.hash);
  if (!(await findSealed(directory))) {
    await withScratchDirectory(root, async scratch => {
      const draft = join(scratch, 'base');
      await writeSealed(draft, source, options.signal);
      await putInPlace(draft, directory, join(scratch, 'damaged'));
    });
  }
  const sealed = await findSealed(directory);
  if (!sealed) throw carrelError('INTERNAL', { problem: `${directory} is not as it was just written` });
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

/** Another process may have been first with the same; what is there and not as it was left makes room. */
async function putInPlace(draft: string, directory: string, aside: string): Promise<void> {
  if (!(await findSealed(directory))) await rename(directory, aside).catch(ignoreAbsence);
  try {
    await rename(draft, directory);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
  }
}

function ignoreAbsence(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}

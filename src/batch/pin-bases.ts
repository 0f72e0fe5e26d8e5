import { createHash } from 'node:crypto';
import { isCarrelError } from '../domain/error.js';
import type { EvalBase, EvalItem } from '../domain/eval-item.js';
import type { Context } from '../operations/context.js';
import { mapAtOnce } from '../workspace/map-at-once.js';
import { fetchCommit } from './mirror.js';
import { listDirectoryFiles } from './sealed-base-files.js';

/** Each is a few processes of git. */
const AT_ONCE = 4;

/**
 * The same items with bases that tell what they hold, not only where it lies: a branch becomes the commit that it is at, a
 * directory gets a hash of its files. So the identity of an attempt changes with them, and all attempts of a batch start
 * from the same. A base that can't be had stays as it is written; the provider tells of it.
 */
export const pinBases = (
  context: Context,
  items: readonly EvalItem[],
  signal?: AbortSignal,
): Promise<EvalItem[]> =>
  mapAtOnce(items, AT_ONCE, async item => {
    signal?.throwIfAborted();
    return { ...item, base: await pinOrLeave(context, item.base, signal) };
  });

async function pinOrLeave(
  context: Context,
  base: EvalBase,
  signal: AbortSignal | undefined,
): Promise<EvalBase> {
  try {
    return await pin(context, base, signal);
  } catch (error) {
    if (!isCarrelError(error, 'BASE_UNAVAILABLE')) throw error;
    return base;
  }
}

async function pin(context: Context, base: EvalBase, signal: AbortSignal | undefined): Promise<EvalBase> {
  switch (base.kind) {
    case 'files':
      return base;
    case 'directory': {
      const pinned = { ...base, content: hashFiles(base.directory) };
      return pinned;
    }
    case 'git': {
      if (COMMIT.test(base.commit)) return base;
      const { commit } = await fetchCommit(context, base, signal);
      return { ...base, commit };
    }
  }
}

const COMMIT = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

function hashFiles(directory: string): string {
  const parts = listDirectoryFiles(directory).map(({ mode, path, hash }) => [mode, path, hash]);
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

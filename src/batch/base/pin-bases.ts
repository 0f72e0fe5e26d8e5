import { createHash } from 'node:crypto';
import type { EvalBase, EvalItem } from '../../domain/batch/eval-item.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import { mapAtOnce } from '../../workspace/work/map-at-once.js';
import { fetchCommit } from './mirror.js';
import { listDirectoryFiles } from './sealed-base-files.js';

/** Each runs a few git processes. */
const AT_ONCE = 4;

/**
 * The same items with bases pinned to their content, not only their location: a branch becomes its current commit, a
 * directory gets a hash of its files. So the identity of an attempt changes with its base, and all attempts of a batch start
 * from the same. An unavailable base stays as written; the provider reports it.
 */
export const pinBases = (
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
  items: readonly EvalItem[],
  signal?: AbortSignal,
): Promise<EvalItem[]> =>
  mapAtOnce(items, AT_ONCE, async item => {
    signal?.throwIfAborted();
    return { ...item, base: await pinOrLeave(context, item.base, signal) };
  });

async function pinOrLeave(
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
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

async function pin(
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
  base: EvalBase,
  signal: AbortSignal | undefined,
): Promise<EvalBase> {
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

import { carrelError } from '../../domain/error/error.js';
import type { PoolDraining, PoolReport, PoolWarming } from '../../domain/workspace/pool-report.js';
import type { SlotKind } from '../../domain/workspace/slot.js';
import type { WorkspacePool } from '../../pool/workspace-pool.js';
import type { Repository } from '../../workspace/backend.js';
import { evictAllTemplates } from '../../workspace/template/template-eviction.js';
import type { Context } from '../context.js';
import { reconcile } from '../recovery/reconcile.js';
import { removeEmptyRoot } from '../space/workspace-root.js';
import { describeRemains, describeSlot } from './describe-slot.js';
import { openPool, withPool } from './open-pool.js';

export interface PoolInput {
  /** A directory in the repository. */
  readonly repository: string;
}

/** A pool for leases. `close` it before the app. */
export interface LeasePool extends WorkspacePool {
  /** Handles files moved out of slots, and leaves long work to the background. Idempotent. */
  close(): Promise<void>;
}

/** The pool of a repository, for leasing slots. Cleans up after dead processes first. */
export async function openWorkspacePool(context: Context, input: PoolInput): Promise<LeasePool> {
  const { pool, close } = await openPool(context, await context.backends.git.locate(input.repository));
  return { ...pool, close };
}

/** The slots of the repository's pool and what is left of them, after cleaning up after dead processes. */
export async function poolStatus(context: Context, input: PoolInput): Promise<PoolReport> {
  const repository = await locate(context, input);
  // Handled before listing: small ones are gone by then.
  const { cap } = await withPool(context, repository, async opened => opened);
  const { slots, damaged } = await context.store.slots.list(repository.id);
  const remains = await context.store.remains.list(repository.id);
  return {
    repository: repository.root,
    cap,
    slots: await describeAll(slots, describeSlot),
    damaged,
    remains: await describeAll(remains, describeRemains),
  };
}

export interface WarmInput extends PoolInput {
  /** As many as the pool may have by default. */
  readonly count?: number | undefined;
  /** The repository's HEAD by default. */
  readonly base?: string | undefined;
  /** The fastest available by default; `carrel up` takes only those of kind `checkout`. */
  readonly kind?: SlotKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates slots until the requested number is free at the commit, or the pool is full. LIMIT_REACHED when the disk has no room for the
 * next one; slots created before stay.
 */
export async function warmPool(context: Context, input: WarmInput): Promise<PoolWarming> {
  requireCount(input.count);
  const repository = await locate(context, input);
  const commit = await resolveCommit(context, repository, input.base);
  return withPool(context, repository, async ({ pool, cap, requireRoom }) => {
    const wanted = input.count ?? cap;
    const free = await pool.warmup(wanted, commit, { kind: input.kind, signal: input.signal });
    if (free < Math.min(wanted, cap)) await requireRoom();
    return { repository: repository.root, commit, wanted, free, cap };
  });
}

/** Destroys unused slots, and reports those in use. */
export async function drainPool(context: Context, input: PoolInput): Promise<PoolDraining> {
  const repository = await locate(context, input);
  const { root, destroyed } = await withPool(context, repository, async ({ pool, root }) => {
    const { destroyed } = await pool.drain();
    return { root, destroyed };
  });
  await removeUnusedTemplates(context, repository, root);
  const { slots } = await context.store.slots.list(repository.id);
  const busy = slots.filter(({ status }) => status !== 'free' && status !== 'quarantined');
  return { repository: repository.root, destroyed, busy: await describeAll(busy, describeSlot) };
}

/** After the files of slots are handled: they are read through these. Those still needed stay. */
async function removeUnusedTemplates(
  context: Pick<Context, 'git' | 'places'>,
  repository: Repository,
  root: string,
): Promise<void> {
  const { id: repositoryId, commonDir } = repository;
  await evictAllTemplates(context.git, { root, repositoryId, commonDir: commonDir as string });
  await removeEmptyRoot(context);
}

/** Slots from the repository's former path don't belong to this pool: they are removed first. */
async function locate(context: Context, input: PoolInput): Promise<Repository> {
  const repository = await context.backends.git.locate(input.repository);
  await reconcile(context, repository);
  return repository;
}

function requireCount(count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1)) return;
  const expected = 'a whole number above 0';
  throw carrelError('INVALID_INPUT', { what: 'the number of slots', found: String(count), expected });
}

async function resolveCommit(
  context: Pick<Context, 'backends'>,
  repository: Repository,
  base: string | undefined,
): Promise<string> {
  const resolved = await context.backends.git.resolve(repository, { base, branch: undefined });
  return resolved.base.commit as string;
}

/** Sequential: measuring visits every file on the same disk. */
async function describeAll<Item, Report>(
  items: readonly Item[],
  describe: (item: Item) => Promise<Report>,
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const item of items) reports.push(await describe(item));
  return reports;
}

import { carrelError } from '../domain/error.js';
import type { PoolDraining, PoolReport, PoolWarming } from '../domain/pool-report.js';
import type { SlotKind } from '../domain/slot.js';
import type { WorkspacePool } from '../pool/workspace-pool.js';
import type { Repository } from '../workspace/backend.js';
import { evictAllTemplates } from '../workspace/template-eviction.js';
import type { Context } from './context.js';
import { describeRemains, describeSlot } from './describe-slot.js';
import { openPool, withPool } from './open-pool.js';
import { tidyRoot } from './tidy-root.js';

export interface PoolInput {
  /** A directory in the repository. */
  readonly repository: string;
}

/** A pool that leases can be had of. `close` it before the app. */
export interface LeasePool extends WorkspacePool {
  /** Sees to what was moved out of slots, and leaves what takes long to the background. Idempotent. */
  close(): Promise<void>;
}

/** The pool of a repository, for whoever leases slots of it. What dead processes left in it is settled first. */
export async function openWorkspacePool(context: Context, input: PoolInput): Promise<LeasePool> {
  const { pool, close } = await openPool(context, await context.backends.git.locate(input.repository));
  return { ...pool, close };
}

/** The slots of the repository's pool and what is left of them, after what dead processes left was settled. */
export async function poolStatus(context: Context, input: PoolInput): Promise<PoolReport> {
  const repository = await context.backends.git.locate(input.repository);
  // Seen to before they are listed: few files are gone by then.
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
  /** The fastest that can be had by default; `carrel up` takes only those of kind `checkout`. */
  readonly kind?: SlotKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes slots until as many as asked for are free at the commit, or the pool is full. LIMIT_REACHED when the disk forbids
 * the next one; those that were made stay.
 */
export async function warmPool(context: Context, input: WarmInput): Promise<PoolWarming> {
  requireCount(input.count);
  const repository = await context.backends.git.locate(input.repository);
  const commit = await resolveCommit(context, repository, input.base);
  return withPool(context, repository, async ({ pool, cap, requireRoom }) => {
    const wanted = input.count ?? cap;
    const free = await pool.warmup(wanted, commit, { kind: input.kind, signal: input.signal });
    if (free < Math.min(wanted, cap)) await requireRoom();
    return { repository: repository.root, commit, wanted, free, cap };
  });
}

/** Destroys what nobody uses, and says what somebody does. */
export async function drainPool(context: Context, input: PoolInput): Promise<PoolDraining> {
  const repository = await context.backends.git.locate(input.repository);
  const { root, destroyed } = await withPool(context, repository, async ({ pool, root }) => {
    const { destroyed } = await pool.drain();
    return { root, destroyed };
  });
  await forgetTemplates(context, repository, root);
  const { slots } = await context.store.slots.list(repository.id);
  const busy = slots.filter(({ status }) => status !== 'free' && status !== 'quarantined');
  return { repository: repository.root, destroyed, busy: await describeAll(busy, describeSlot) };
}

/** After what was in the slots is seen to: it is read through them. Those that are still needed stay. */
async function forgetTemplates(context: Context, repository: Repository, root: string): Promise<void> {
  const { id: repositoryId, commonDir } = repository;
  await evictAllTemplates(context.git, { root, repositoryId, commonDir: commonDir as string });
  await tidyRoot(context);
}

function requireCount(count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1)) return;
  const expected = 'a whole number above 0';
  throw carrelError('INVALID_INPUT', { what: 'the number of slots', found: String(count), expected });
}

async function resolveCommit(
  context: Context,
  repository: Repository,
  base: string | undefined,
): Promise<string> {
  const resolved = await context.backends.git.resolve(repository, { base, branch: undefined });
  return resolved.base.commit as string;
}

/** One after the other: measuring visits every file, and the disk is one. */
async function describeAll<Item, Report>(
  items: readonly Item[],
  describe: (item: Item) => Promise<Report>,
): Promise<Report[]> {
  const reports: Report[] = [];
  for (const item of items) reports.push(await describe(item));
  return reports;
}

import { setTimeout as delay } from 'node:timers/promises';
import { carrelError } from '../../domain/error/error.js';
import { isSameProcess } from '../../domain/process-identity.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { Context } from '../context.js';
import { isAbandoned } from '../guard/abandonment.js';
import { isSmall, removeNow, removeRemains, verifyOrMark } from './remove-remains.js';

/**
 * Which process handles remains, the files that were moved aside (see domain/snapshot/remains.ts):
 *
 *     their creator            at once, when they are few files; otherwise it hands them to
 *     a process in background  `carrel settle ID...`, which starts when the record names it as the owner
 *     any later command        when the owner is dead: few files at once, many by a new process in the background
 *     restore, snapshots       wait for the part that a snapshot depends on, or do it when the owner is dead
 *     restore                  retries what its owner failed to capture
 *     gc                       all without a live owner, and what its owner failed at, with output
 *
 * Owners change by compare-and-swap, so two processes never handle the same remains.
 */

/** Handles remains of this process, or hands them over. Returns messages. */
export async function removeOrSchedule(context: Context, remains: readonly Remains[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const few of remains.filter(isSmall)) warnings.push(...(await removeNow(context, few)));
  const many = remains.filter(candidate => !isSmall(candidate));
  return [...warnings, ...(await startBackgroundRemoval(context, many))];
}

async function startBackgroundRemoval(context: Context, remains: readonly Remains[]): Promise<string[]> {
  if (remains.length === 0) return [];
  const worker = context.startBackground(['settle', ...remains.map(({ id }) => id)]);
  const warnings: string[] = [];
  for (const each of remains) {
    if (worker) await context.store.remains.adopt(each, worker);
    else warnings.push(...(await removeNow(context, each)));
  }
  return warnings;
}

/** Cleans up after dead processes, without making the caller wait long. */
export async function cleanUpRemains(context: Context): Promise<void> {
  const left = (await context.store.remains.list()).filter(each => isAbandonedRemains(context, each));
  const own = await adoptAll(
    context,
    left.filter(each => each.failure === undefined),
  );
  for (const warning of await removeOrSchedule(context, own)) context.narrate(`warning: ${warning}`);
}

/** Everything without a live owner, now. */
export async function removeAbandonedRemains(context: Context): Promise<void> {
  for (const id of await context.store.remains.listDamaged())
    context.narrate(`warning: files that were moved aside can't be found: the record ${id} is damaged`);
  const left = (await context.store.remains.list()).filter(
    each => isAbandonedRemains(context, each) || each.failure !== undefined,
  );
  for (const remains of await adoptAll(context, left)) {
    for (const warning of await removeNow(context, remains)) context.narrate(`warning: ${warning}`);
  }
}

/** The work of the process in the background. Failures are marked, and the others continue. */
export async function removeHandedOver(context: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const remains = await awaitHandOver(context, id);
    if (remains) await removeRemains(context, remains).catch(() => undefined);
  }
}

/**
 * Waits until the promised snapshots of remains are complete; those without a live owner, or whose owner failed, are captured here.
 * Errors are those of capturing, and WORKSPACE_BUSY.
 */
export async function awaitSnapshots(
  context: Context,
  isWanted: (remains: Remains) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  for (const { id } of (await context.store.remains.list()).filter(isWanted))
    await awaitVerification(context, id, signal);
}

/** The same for callers that want all of them: failures are reported and not retried. */
export async function awaitPossibleSnapshots(
  context: Context,
  isWanted: (remains: Remains) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  for (const remains of (await context.store.remains.list()).filter(isWanted)) {
    const problem = remains.failure ?? (await findProblem(awaitVerification(context, remains.id, signal)));
    signal?.throwIfAborted();
    const { workspaceName, directory } = remains;
    if (problem !== undefined)
      context.narrate(`warning: no snapshot yet of ${workspaceName}, kept at ${directory}: ${problem}`);
  }
}

const findProblem = (action: Promise<void>): Promise<string | undefined> =>
  action.then(
    () => undefined,
    error => (error instanceof Error ? error.message : String(error)),
  );

const POLL_MS = 20;
/** Between starting a process and naming it in the record lies a write to the store. */
const HAND_OVER_MS = 30_000;
/** Longer waits are reported instead: the owner may live long and never handle it. */
const CAPTURE_MS = 60_000;

async function awaitHandOver(
  context: Pick<Context, 'store' | 'now' | 'self'>,
  id: string,
): Promise<Remains | undefined> {
  for (let waited = 0; waited < HAND_OVER_MS; waited += POLL_MS) {
    const remains = await context.store.remains.find(id);
    if (!remains || isSameProcess(remains.owner, context.self)) return remains;
    if (isAbandonedRemains(context, remains)) return (await adoptAll(context, [remains]))[0];
    await delay(POLL_MS);
  }
  return undefined;
}

async function awaitVerification(context: Context, id: string, signal?: AbortSignal): Promise<void> {
  const deadline = context.now() + CAPTURE_MS;
  for (;;) {
    signal?.throwIfAborted();
    const remains = await context.store.remains.find(id);
    if (!remains || remains.holds === 'rubbish') return;
    const { workspaceName: name, failure } = remains;
    if (isAbandonedRemains(context, remains) || failure !== undefined) {
      const [own] = await adoptAll(context, [remains]);
      if (own && (await verifyOrMark(context, own)))
        await removeOrSchedule(context, [{ ...own, holds: 'rubbish' }]);
    } else if (context.now() > deadline)
      throw carrelError('WORKSPACE_BUSY', { name, status: 'still being captured' });
    else await delay(POLL_MS);
  }
}

async function adoptAll(
  context: Pick<Context, 'store' | 'self'>,
  remains: readonly Remains[],
): Promise<Remains[]> {
  const own: Remains[] = [];
  for (const each of remains) {
    const adopted = await context.store.remains.adopt(each, context.self);
    if (adopted) own.push(adopted);
  }
  return own;
}

const isAbandonedRemains = (context: Pick<Context, 'now'>, { owner, createdAt }: Remains): boolean =>
  isAbandoned(owner, createdAt, context.now());

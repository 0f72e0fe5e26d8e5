import { setTimeout as delay } from 'node:timers/promises';
import { carrelError } from '../domain/error.js';
import { isSameProcess } from '../domain/process-identity.js';
import type { Remains } from '../domain/remains.js';
import { isAbandoned } from './abandonment.js';
import type { Context } from './context.js';
import { isSmall, judgeOrMark, settleBeforeUser, settleRemains } from './settle-remains.js';

/**
 * Who settles remains, the files that were moved aside (see domain/remains.ts):
 *
 *     whoever made them        at once, when they are few files; otherwise it hands them to
 *     a process in background  `carrel settle ID...`, which begins when the record names it as the owner
 *     any later command        when the owner is dead: few files at once, many by a new process in the background
 *     restore, snapshots       wait for the part that a snapshot depends on, or do it when the owner is dead
 *     restore                  tries again what its owner failed to capture
 *     gc                       all that nobody alive owns, and what its owner failed at, before the user's eyes
 *
 * Owners change by compare-and-swap, so two processes never settle the same remains.
 */

/** Settles remains of this process, or hands them over. Gives what people should know. */
export async function settleOrLeave(context: Context, remains: readonly Remains[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const few of remains.filter(isSmall)) warnings.push(...(await settleBeforeUser(context, few)));
  const many = remains.filter(candidate => !isSmall(candidate));
  return [...warnings, ...(await leaveToBackground(context, many))];
}

async function leaveToBackground(context: Context, remains: readonly Remains[]): Promise<string[]> {
  if (remains.length === 0) return [];
  const settler = context.startBackground(['settle', ...remains.map(({ id }) => id)]);
  const warnings: string[] = [];
  for (const each of remains) {
    if (settler) await context.store.remains.adopt(each, settler);
    else warnings.push(...(await settleBeforeUser(context, each)));
  }
  return warnings;
}

/** Takes care of what dead processes left, without making the caller wait for anything long. */
export async function sweepRemains(context: Context): Promise<void> {
  const left = (await context.store.remains.list()).filter(each => isLeft(context, each));
  const own = await adoptAll(
    context,
    left.filter(each => each.failure === undefined),
  );
  for (const warning of await settleOrLeave(context, own)) context.narrate(`warning: ${warning}`);
}

/** Everything that nobody alive owns or hopes to settle, here and now. */
export async function settleAbandoned(context: Context): Promise<void> {
  for (const id of await context.store.remains.listDamaged())
    context.narrate(`warning: nothing is known of files that were moved aside: the record ${id} is damaged`);
  const left = (await context.store.remains.list()).filter(
    each => isLeft(context, each) || each.failure !== undefined,
  );
  for (const remains of await adoptAll(context, left)) {
    for (const warning of await settleBeforeUser(context, remains)) context.narrate(`warning: ${warning}`);
  }
}

/** The work of the process in the background. What can't be settled is marked, and the others have their turn. */
export async function settleHandedOver(context: Context, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const remains = await awaitHandOver(context, id);
    if (remains) await settleRemains(context, remains).catch(() => undefined);
  }
}

/**
 * Waits until the snapshots that remains are yet to become are whole; what nobody alive owns, or its owner failed at, is
 * seen to here. Errors are those of capturing, and WORKSPACE_BUSY.
 */
export async function awaitSnapshots(
  context: Context,
  isWanted: (remains: Remains) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  for (const { id } of (await context.store.remains.list()).filter(isWanted))
    await awaitJudgement(context, id, signal);
}

/** The same for whoever wants all that there are: those that can't be captured are told of, and not tried once more. */
export async function awaitPossibleSnapshots(
  context: Context,
  isWanted: (remains: Remains) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  for (const remains of (await context.store.remains.list()).filter(isWanted)) {
    const problem = remains.failure ?? (await findProblem(awaitJudgement(context, remains.id, signal)));
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
/** What takes longer is told of, rather than waited for: whoever has it may live long and never see to it. */
const CAPTURE_MS = 60_000;

async function awaitHandOver(context: Context, id: string): Promise<Remains | undefined> {
  for (let waited = 0; waited < HAND_OVER_MS; waited += POLL_MS) {
    const remains = await context.store.remains.find(id);
    if (!remains || isSameProcess(remains.owner, context.self)) return remains;
    if (isLeft(context, remains)) return (await adoptAll(context, [remains]))[0];
    await delay(POLL_MS);
  }
  return undefined;
}

async function awaitJudgement(context: Context, id: string, signal?: AbortSignal): Promise<void> {
  const deadline = context.now() + CAPTURE_MS;
  for (;;) {
    signal?.throwIfAborted();
    const remains = await context.store.remains.find(id);
    if (!remains || remains.holds === 'rubbish') return;
    const { workspaceName: name, failure } = remains;
    if (isLeft(context, remains) || failure !== undefined) {
      const [own] = await adoptAll(context, [remains]);
      if (own && (await judgeOrMark(context, own)))
        await settleOrLeave(context, [{ ...own, holds: 'rubbish' }]);
    } else if (context.now() > deadline)
      throw carrelError('WORKSPACE_BUSY', { name, status: 'still being captured' });
    else await delay(POLL_MS);
  }
}

async function adoptAll(context: Context, remains: readonly Remains[]): Promise<Remains[]> {
  const own: Remains[] = [];
  for (const each of remains) {
    const adopted = await context.store.remains.adopt(each, context.self);
    if (adopted) own.push(adopted);
  }
  return own;
}

const isLeft = (context: Context, { owner, createdAt }: Remains): boolean =>
  isAbandoned(owner, createdAt, context.now());

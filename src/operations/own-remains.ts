import { isSameProcess } from '../domain/process-identity.js';
import type { Remains } from '../domain/remains.js';
import type { Context } from './context.js';
import { settleOrLeave } from './leave-remains.js';
import { settleBeforeUser } from './settle-remains.js';

/** Sees to the remains that this process makes. */
export interface RemainsKeeper {
  /** They are complete. Before that their record is there and their files are not, so the record alone says nothing. */
  announce(id: string): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Settles them one after the other, beside whatever else the process does. */
export function settleMeanwhile(context: Context): RemainsKeeper {
  const announced: string[] = [];
  let isClosed = false;
  let running = Promise.resolve();
  const settleNext = async () => {
    const id = isClosed ? undefined : announced.shift();
    if (id !== undefined)
      for (const own of await load(context, [id])) await tell(context, settleBeforeUser(context, own));
  };
  return {
    announce: id => {
      announced.push(id);
      running = running.then(settleNext).catch(error => context.narrate(`warning: ${error}`));
    },
    close: async () => {
      isClosed = true;
      await running;
      await leave(context, announced.splice(0));
    },
  };
}

/** Leaves them for the end: few files are deleted then, the rest is left to a process in the background. */
export function settleAtEnd(context: Context): RemainsKeeper {
  const announced: string[] = [];
  return {
    announce: id => announced.push(id),
    close: () => leave(context, announced.splice(0)),
  };
}

async function leave(context: Context, ids: readonly string[]): Promise<void> {
  await tell(context, settleOrLeave(context, await load(context, ids)));
}

/** Without those that another took over. */
async function load({ store, self }: Context, ids: readonly string[]): Promise<Remains[]> {
  const found = await Promise.all(ids.map(id => store.remains.find(id)));
  return found.filter(remains => remains !== undefined).filter(({ owner }) => isSameProcess(owner, self));
}

async function tell(context: Context, settling: Promise<readonly string[]>): Promise<void> {
  for (const warning of await settling) context.narrate(`warning: ${warning}`);
}

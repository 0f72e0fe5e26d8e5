import { setTimeout as sleep } from 'node:timers/promises';
import { isSameProcess } from '../../domain/process-identity.js';
import type { Remains } from '../../domain/snapshot/remains.js';
import type { Context } from '../context.js';
import { removeNow } from './remove-remains.js';
import { removeOrSchedule } from './schedule-remains.js';

/** Handles the remains that this process creates. */
export interface RemainsKeeper {
  /** They are complete. Before that the record may exist without the files, so the record alone proves nothing. */
  announce(id: string): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** By then the reset that made them is over, and does not compete with their removal: 10 ms of 40. */
const MOMENT_MS = 100;

/** When more of them wait, they are created faster than removed, and none is delayed. */
const MOST_DELAYED = 4;

/** Handles them one by one, in parallel with the rest of the process. */
export function removeInBackground(context: Context): RemainsKeeper {
  const announced: string[] = [];
  const closing = new AbortController();
  let running = Promise.resolve();
  const removeNext = async () => {
    if (announced.length < MOST_DELAYED)
      await sleep(MOMENT_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    const id = closing.signal.aborted ? undefined : announced.shift();
    if (id !== undefined)
      for (const own of await load(context, [id])) await reportWarnings(context, removeNow(context, own));
  };
  return {
    announce: id => {
      announced.push(id);
      running = running.then(removeNext).catch(error => context.narrate(`warning: ${error}`));
    },
    close: async () => {
      closing.abort();
      await running;
      await scheduleByIds(context, announced.splice(0));
    },
  };
}

/** Leaves them for the end: small ones are deleted then, the rest is left to a background process. */
export function removeAtEnd(context: Context): RemainsKeeper {
  const announced: string[] = [];
  return {
    announce: id => announced.push(id),
    close: () => scheduleByIds(context, announced.splice(0)),
  };
}

async function scheduleByIds(context: Context, ids: readonly string[]): Promise<void> {
  await reportWarnings(context, removeOrSchedule(context, await load(context, ids)));
}

/** Without those that another took over. */
async function load(
  { store, self }: Pick<Context, 'store' | 'self'>,
  ids: readonly string[],
): Promise<Remains[]> {
  const found = await Promise.all(ids.map(id => store.remains.find(id)));
  return found.filter(remains => remains !== undefined).filter(({ owner }) => isSameProcess(owner, self));
}

async function reportWarnings(
  context: Pick<Context, 'narrate'>,
  removing: Promise<readonly string[]>,
): Promise<void> {
  for (const warning of await removing) context.narrate(`warning: ${warning}`);
}

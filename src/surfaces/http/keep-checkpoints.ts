import { setTimeout as sleep } from 'node:timers/promises';
import { checkpointAllIfChanged } from '../../operations/capture/checkpoint-if-changed.js';
import { findCheckpointRules } from '../../operations/settings/checkpoint-rules.js';
import type { ServerContext } from './server-context.js';

/** The longest time between two checks of a workspace that does not change. */
const LONGEST_MS = 3_600_000;

interface Turn {
  /** Rounds until the next check. */
  readonly left: number;
  /** Rounds to wait if nothing has changed by then. */
  readonly wait: number;
}

/**
 * Takes checkpoints of workspaces that users and their programs change without a Carrel command, while the server runs. A
 * workspace that does not change is checked less and less often. Stops with `stopping`.
 */
export async function keepCheckpoints(server: ServerContext): Promise<void> {
  const turns = new Map<string, Turn>();
  while (!server.stopping.aborted) {
    const intervalMs = await findInterval(server).catch(() => undefined);
    await sleep(intervalMs ?? LONGEST_MS, undefined, { signal: server.stopping }).catch(() => undefined);
    if (intervalMs === undefined || server.stopping.aborted) continue;
    await checkpointRound(server, turns, Math.max(1, Math.floor(LONGEST_MS / intervalMs))).catch(error =>
      server.log.warn({ err: error }, 'cannot take checkpoints'),
    );
  }
}

/** Undefined when they are turned off. */
const findInterval = async ({ app }: ServerContext): Promise<number | undefined> =>
  (await findCheckpointRules(app, { backend: 'git', repository: '/' }))?.intervalMs;

async function checkpointRound(
  { app }: ServerContext,
  turns: Map<string, Turn>,
  longest: number,
): Promise<void> {
  const ids = (await app.store.workspaces.list()).map(({ id }) => id);
  for (const id of turns.keys()) if (!ids.includes(id)) turns.delete(id);
  const due: string[] = [];
  for (const id of ids) {
    const { left, wait } = turns.get(id) ?? { left: 1, wait: 1 };
    turns.set(id, { left: left - 1, wait });
    if (left <= 1) due.push(id);
  }
  const changed = new Set(await checkpointAllIfChanged(app, due));
  for (const id of due) {
    const wait = changed.has(id) ? 1 : Math.min((turns.get(id)?.wait ?? 1) * 2, longest);
    turns.set(id, { left: wait, wait });
  }
}

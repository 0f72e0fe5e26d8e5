import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ignoreMissing } from '../../domain/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { isAlive } from '../../exec/process-identity.js';
import { replaceFile } from './container-record.js';

/**
 * Who has halted a workspace's container, a file each. While that process lives, nobody starts anything in the container;
 * once it is dead, whoever comes next lets the container go on.
 */
export interface Halts {
  put(workspaceId: string): Promise<void>;
  remove(workspaceId: string): Promise<void>;
  /**
   * Waits while a living process halts it, for a minute at most; then it is still `halted`. `abandoned` when a dead one
   * left it so.
   */
  wait(workspaceId: string, signal?: AbortSignal): Promise<'going' | 'abandoned' | 'halted'>;
}

export interface HaltsOptions {
  readonly directory: string;
  readonly self: ProcessIdentity;
  readonly unique: () => string;
}

const LOOK_MS = 25;
const LONGEST_MS = 60_000;

export function openHalts({ directory, self, unique }: HaltsOptions): Halts {
  const fileOf = (workspaceId: string) => join(directory, `${workspaceId}.halted`);
  return {
    put: workspaceId => replaceFile(fileOf(workspaceId), JSON.stringify(self), unique()),
    remove: workspaceId => rm(fileOf(workspaceId), { force: true }),
    wait: async (workspaceId, signal) => {
      const deadline = performance.now() + LONGEST_MS;
      for (;;) {
        const holder = await readHolder(fileOf(workspaceId));
        if (holder === undefined || signal?.aborted) return 'going';
        if (holder === 'unknown' || isAlive(holder) === 'dead') return 'abandoned';
        if (performance.now() > deadline) return 'halted';
        await delay(LOOK_MS);
      }
    },
  };
}

async function readHolder(file: string): Promise<ProcessIdentity | 'unknown' | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Cut short by the end of the machine.
    return 'unknown';
  }
}

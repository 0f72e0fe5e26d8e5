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
  /** Waits while another living process halts it. Gives whether a dead one left it halted. */
  wait(workspaceId: string, signal?: AbortSignal): Promise<'going' | 'abandoned'>;
}

export interface HaltsOptions {
  readonly directory: string;
  readonly self: ProcessIdentity;
  readonly unique: () => string;
}

const LOOK_MS = 25;

export function openHalts({ directory, self, unique }: HaltsOptions): Halts {
  const fileOf = (workspaceId: string) => join(directory, `${workspaceId}.halted`);
  return {
    put: workspaceId => replaceFile(fileOf(workspaceId), JSON.stringify(self), unique()),
    remove: workspaceId => rm(fileOf(workspaceId), { force: true }),
    wait: async (workspaceId, signal) => {
      for (;;) {
        const holder = await readHolder(fileOf(workspaceId));
        if (holder === undefined || signal?.aborted) return 'going';
        if (holder === 'unknown' || isAlive(holder) === 'dead') return 'abandoned';
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

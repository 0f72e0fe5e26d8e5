import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ignoreMissing } from '../../../domain/error/error.js';
import type { ProcessIdentity } from '../../../domain/process-identity.js';
import { findOwnerState } from '../../../exec/process/identify-process.js';
import { putFile } from './container-record.js';

/**
 * Which processes have paused a workspace's container, a file each. While such a process lives, no process starts anything in the
 * container; once it is dead, the next command resumes the container.
 */
export interface Halts {
  put(workspaceId: string): Promise<void>;
  remove(workspaceId: string): Promise<void>;
  /**
   * Waits while a living process pauses it, for a minute at most; then it is still `halted`. `abandoned` when a dead
   * process left it paused.
   */
  wait(workspaceId: string, signal?: AbortSignal): Promise<'going' | 'abandoned' | 'halted'>;
}

export interface HaltsOptions {
  readonly directory: string;
  readonly self: ProcessIdentity;
}

const LOOK_MS = 25;
const LONGEST_MS = 60_000;

export function openHalts({ directory, self }: HaltsOptions): Halts {
  const fileOf = (workspaceId: string) => join(directory, `${workspaceId}.halted`);
  return {
    put: workspaceId => putFile(fileOf(workspaceId), JSON.stringify(self)),
    remove: workspaceId => rm(fileOf(workspaceId), { force: true }),
    wait: async (workspaceId, signal) => {
      const deadline = performance.now() + LONGEST_MS;
      for (;;) {
        const holder = await readHolder(fileOf(workspaceId));
        if (holder === undefined || signal?.aborted) return 'going';
        if (holder === 'unknown' || findOwnerState(holder) === 'dead') return 'abandoned';
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
    // Truncated by a power cut.
    return 'unknown';
  }
}

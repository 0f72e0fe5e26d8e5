import { setTimeout as delay } from 'node:timers/promises';
import { findProcess } from '../process/process-table.js';

/** Waits until a process that is about to end is dead; false when it still lives after `limitMs`. A zombie is dead. */
export async function waitUntilDead(pid: number, limitMs: number): Promise<boolean> {
  const startedAt = findProcess(pid)?.startedAt;
  const deadline = performance.now() + limitMs;
  for (let pause = 1; isStill(pid, startedAt); pause = Math.min(pause * 2, 50)) {
    if (performance.now() >= deadline) return false;
    await delay(pause);
  }
  return true;
}

const isStill = (pid: number, startedAt: string | undefined): boolean =>
  startedAt !== undefined && findProcess(pid)?.startedAt === startedAt;

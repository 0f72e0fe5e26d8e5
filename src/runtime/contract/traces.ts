import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A number of seconds for `sleep` that no other process on the machine has. */
export function createNap(): string {
  const nap = `600.${process.pid}${String(Math.random()).slice(2, 12)}`;
  onTestFinished(() => {
    for (const pid of findNapping(nap)) process.kill(pid, 'SIGKILL');
  });
  return nap;
}

/** The living processes of the machine, in whatever sandbox, that sleep for so long. A zombie is dead. */
export function findNapping(nap: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => read(`/proc/${pid}/cmdline`).split('\0').includes(nap))
    .filter(pid => !/^\d+ \(.*\) Z/s.test(read(`/proc/${pid}/stat`)))
    .map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Waits until something is so; fails after twenty seconds. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await delay(10);
  }
}

export const isThere = (path: string) => (): boolean => existsSync(path);

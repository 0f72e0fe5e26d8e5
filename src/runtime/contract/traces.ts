import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { systemProcesses } from '../../exec/process/process-table.js';

/** A number of seconds for `sleep` that no other process on the machine uses. */
export function createNap(): string {
  const nap = `600.${process.pid}${String(Math.random()).slice(2, 12)}`;
  onTestFinished(() => {
    for (const pid of findNapping(nap)) process.kill(pid, 'SIGKILL');
  });
  return nap;
}

/** The living processes of the machine, in any sandbox, that sleep for this long. A zombie is dead. */
export function findNapping(nap: string): number[] {
  const source = systemProcesses();
  const commands = source.readCommands();
  const napping = [...commands].filter(([, command]) => SLEEPING.exec(command)?.[1] === nap);
  return napping.map(([pid]) => pid).filter(pid => source.find(pid) !== undefined);
}

/** The whole command line must match: a shell whose script contains the number is another process. */
const SLEEPING = /^(?:\S*\/)?(?:setsid )?sleep (\S+)$/;

/** Waits until a condition holds; fails after twenty seconds. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await delay(10);
  }
}

export const isThere = (path: string) => (): boolean => existsSync(path);

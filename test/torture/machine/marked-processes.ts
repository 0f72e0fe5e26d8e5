import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Living processes that have a directory in their environment, as `pid words`; zombies are dead. */
function findMarkedProcesses(directory: string): string[] {
  return readdirSync('/proc').flatMap(pid => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    if (!read(pid, 'environ').includes(directory) || /\) Z/.test(read(pid, 'stat'))) return [];
    return [`${pid} ${read(pid, 'cmdline').replaceAll('\0', ' ').trim()}`];
  });
}

/** Those that are still there when the time is up. */
export async function awaitMarkedProcesses(directory: string, limitMs: number): Promise<string[]> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = findMarkedProcesses(directory);
    if (found.length === 0 || Date.now() > deadline) return found;
    await delay(15);
  }
}

function read(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

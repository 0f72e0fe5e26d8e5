import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Processes of the whole machine that have a word among their arguments. A zombie has none. */
export function findByArgument(word: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => read(`/proc/${pid}/cmdline`).split('\0').includes(word));
}

/** Whether a process sees the host's processes. */
export function isOnHost(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid');
  } catch {
    return false;
  }
}

/** For processes that a control has left, by their ids. */
export function endAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { readdirSync, readFileSync } from 'node:fs';

/** Watches the descendants of this process; `stop` gives the most memory that one of them ever held, in bytes. */
export function watchMemory(): { stop(): number } {
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, ...listDescendants(process.pid).map(peakOf));
  };
  const timer = setInterval(look, 20);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

function listDescendants(root: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter(isNumber)
      .map(pid => [Number(pid), parentOf(pid)]),
  );
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

const isNumber = (name: string): boolean => /^\d+$/.test(name);

function parentOf(pid: string): number | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  return parent > 0 ? parent : undefined;
}

/** Without pages of mapped files, which the system can reclaim at any time. */
function peakOf(pid: number): number {
  const status = readIfThere(`/proc/${pid}/status`);
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

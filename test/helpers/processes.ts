import { readdirSync, readFileSync } from 'node:fs';

/** Living children of a process (zombies are dead), as `pid name`; none where there is no /proc. */
export function childrenOf(parent: number): string[] {
  return processes()
    .filter(process => process.parent === parent && process.state !== 'Z')
    .map(process => `${process.pid} ${process.name}`);
}

function processes(): { pid: number; name: string; state: string; parent: number }[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(readProcess);
  } catch {
    return [];
  }
}

function readProcess(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [
      {
        pid: Number(pid),
        name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
        state: state ?? '',
        parent: Number(parent),
      },
    ];
  } catch {
    return [];
  }
}

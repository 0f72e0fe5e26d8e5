import { readdirSync, readFileSync } from 'node:fs';

const ignored = new Set<number>();

/** A process that a helper keeps from test to test is not left behind. */
export function ignoreChild(pid: number | undefined): void {
  if (pid !== undefined) ignored.add(pid);
}

/**
 * Living children of this process, as `childrenOf`, without a look at every process of the machine. While this reads,
 * none of them is reaped, so none is missed.
 */
export function ownChildren(): string[] {
  try {
    const pids = readdirSync('/proc/self/task').flatMap(thread =>
      readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' ').filter(Boolean),
    );
    return pids.flatMap(readProcess).filter(isLeft).map(describeProcess);
  } catch {
    return childrenOf(process.pid);
  }
}

/** Living children of a process (zombies are dead), as `pid name`; none where there is no /proc. */
export function childrenOf(parent: number): string[] {
  return processes()
    .filter(process => process.parent === parent && isLeft(process))
    .map(describeProcess);
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
}

const isAlive = ({ state }: Process): boolean => state !== 'Z';

const isLeft = (process: Process): boolean => isAlive(process) && !ignored.has(process.pid);

const describeProcess = ({ pid, name }: Process): string => `${pid} ${name}`;

/** Whether a process lives; a zombie, which only waits for its parent to look, is dead. */
export const isRunning = (pid: number): boolean =>
  readProcess(String(pid)).some(({ state }) => state !== 'Z');

/**
 * Living processes with this word in their command line. A process in its own pid namespace knows itself by another
 * pid than we do.
 */
export const findByWord = (word: string): number[] =>
  processes()
    .filter(isAlive)
    .map(({ pid }) => pid)
    .filter(pid => readWords(pid).includes(word));

function readWords(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function processes(): Process[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(readProcess);
  } catch {
    return [];
  }
}

function readProcess(pid: string): Process[] {
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

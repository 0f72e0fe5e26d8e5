import { createMachineId, readHardwareId } from './machine-id.js';
import type { ProcessRow, ProcessSource } from './process-source.js';
import type { ProcessEntry } from './process-table.js';
import { createPsEnvironments, readPsCommands } from './ps-environments.js';
import { createSysctlBoot } from './sysctl-boot.js';
import { runSystemProgram, type SystemProgram } from './system-program.js';

/** Processes as `ps` and `sysctl` show them, for systems without Linux's /proc. There are no pid namespaces there. */
export function createPsSource(run: SystemProgram): ProcessSource {
  const readAll = () => readPs(run, ['-ax']);
  return {
    name: 'ps',
    list: () => readAll().filter(isLiving),
    find: pid => readPs(run, ['-p', String(pid)]).find(isLiving),
    pids: () => readAll().map(({ pid }) => pid),
    listRows: () => readAll().map(toRow),
    readEnvironments: createPsEnvironments(run),
    readCommands: () => readPsCommands(run),
    boot: createSysctlBoot(run),
    machine: createMachineId(() => readHardwareId(run)),
    namespaceOf: () => '-',
  };
}

export const psSource = createPsSource(runSystemProgram);

// Each column needs its own option: POSIX lets the text after "=" reach to the end of the argument. There is no
// column for the session: macOS prints an address for it.
const COLUMNS = ['pid', 'ppid', 'pgid', 'state', 'lstart'].flatMap(column => ['-o', `${column}=`]);

/** Includes zombies, excludes `ps` itself. When there is no such process, `ps -p` exits with 1 and prints nothing. */
function readPs(run: SystemProgram, selection: readonly string[]): ProcessEntry[] {
  const { pid, stdout } = run('ps', [...selection, ...COLUMNS]);
  return stdout
    .split('\n')
    .flatMap(parseLine)
    .filter(entry => entry.pid !== pid);
}

function parseLine(line: string): ProcessEntry[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(\S.*?)\s*$/.exec(line);
  if (!match) return [];
  const [, pid, parent, group, state = '', startedAt = ''] = match;
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, state, startedAt }];
}

const isLiving = ({ state }: ProcessEntry): boolean => state !== 'Z';

const toRow = ({ pid, parent, startedAt, state }: ProcessEntry): ProcessRow => ({
  pid,
  parent,
  startedAt,
  states: () => [state],
});

import { spawnSync } from 'node:child_process';
import type { ProcessEntry } from './process-table.js';

/** Living processes as `ps` tells, for systems without Linux's /proc. */
export function listPsProcesses(): ProcessEntry[] {
  return readPs(['-ax']);
}

export function findPsProcess(pid: number): ProcessEntry | undefined {
  return readPs(['-p', String(pid)])[0];
}

// Each column needs an option of its own: POSIX lets the text after "=" reach to the end of the argument. There is no
// column for the session: macOS prints an address for it.
const COLUMNS = ['pid', 'ppid', 'pgid', 'state', 'lstart'].flatMap(column => ['-o', `${column}=`]);

// lstart is local time in the words of the locale; two processes with different settings must read the same.
const PS_ENVIRONMENT = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };

function readPs(selection: readonly string[]): ProcessEntry[] {
  const result = spawnSync('ps', [...selection, ...COLUMNS], {
    env: PS_ENVIRONMENT,
    encoding: 'latin1',
    maxBuffer: 64 * 1024 ** 2,
    timeout: 10_000,
  });
  if (result.error) throw result.error;
  return result.stdout.split('\n').flatMap(line => (result.pid === pidOf(line) ? [] : parseLine(line)));
}

const pidOf = (line: string): number => Number.parseInt(line, 10);

function parseLine(line: string): ProcessEntry[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(\S.*?)\s*$/.exec(line);
  if (!match) return [];
  const [, pid, parent, group, state = '', startedAt = ''] = match;
  if (state === 'Z') return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, state, startedAt }];
}

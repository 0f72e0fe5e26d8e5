import { readdirSync, readFileSync } from 'node:fs';
import { errnoOf } from '../domain/error.js';
import type { ProcessEntry } from './process-table.js';

/** Living processes from Linux's /proc. */
export function listProcProcesses(): ProcessEntry[] {
  return listProcPids().flatMap(pid => findProcProcess(pid) ?? []);
}

export function findProcProcess(pid: number): ProcessEntry | undefined {
  const stat = readProcFile(pid, 'stat');
  return stat === undefined ? undefined : parseStat(pid, stat);
}

export function listProcPids(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);
}

/** A file of /proc/PID, one character per byte; undefined when the process is gone or is not ours to look into. */
export function readProcFile(pid: number, name: string): string | undefined {
  return unlessHidden(() => readFileSync(`/proc/${pid}/${name}`, 'latin1'));
}

/**
 * Gone and hidden are answers. Anything else, such as no free file descriptor, must not pass for "the process is dead":
 * locks are taken over on that answer.
 */
export function unlessHidden<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** See proc_pid_stat(5). The name in parentheses may itself hold spaces, parentheses and line breaks. */
function parseStat(pid: number, stat: string): ProcessEntry | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  if (isDead(state, Number(fields[17]))) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    state,
    startedAt: fields[19] ?? '',
  };
}

/** A process whose first thread has ended shows as a zombie while its other threads go on; that one lives. */
function isDead(state: string, threads: number): boolean {
  return state === 'X' || state === 'x' || (state === 'Z' && threads <= 1);
}

import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { errnoOf } from '../../domain/error/error.js';
import { createMachineId, readMachineId } from './machine-id.js';
import type { ProcessRow, ProcessSource, ProcessVariables } from './process-source.js';
import type { ProcessEntry } from './process-table.js';

/** Processes from Linux's /proc. */
export const procSource: ProcessSource = {
  name: 'proc',
  list: () => listProcPids().flatMap(pid => findProcProcess(pid) ?? []),
  find: findProcProcess,
  pids: listProcPids,
  listRows: () => listProcPids().flatMap(pid => readRow(pid) ?? []),
  readEnvironments: () => readProcEnvironment,
  readCommands: () => new Map(listProcPids().map(pid => [pid, readCommand(pid)])),
  boot: () => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
  machine: createMachineId(readMachineId),
  namespaceOf: (pid: number | 'self' = 'self') => unlessHidden(() => readlinkSync(`/proc/${pid}/ns/pid`)),
};

function findProcProcess(pid: number): ProcessEntry | undefined {
  const stat = readProcFile(pid, 'stat');
  return stat === undefined ? undefined : parseStat(pid, stat);
}

const readCommand = (pid: number): string =>
  (readProcFile(pid, 'cmdline') ?? '').replace(/\0$/, '').replaceAll('\0', ' ');

function readProcEnvironment(pid: number): ProcessVariables | undefined {
  const text = readProcFile(pid, 'environ');
  return text === undefined ? undefined : `\0${text}\0`;
}

export function listProcPids(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);
}

/** A file in /proc/PID, one character per byte; undefined when the process is gone or we may not inspect it. */
export function readProcFile(pid: number, name: string): string | undefined {
  return unlessHidden(() => readWhole(`/proc/${pid}/${name}`));
}

/** Files there have no size, so `readFileSync` allocates for each one: the environments of 100 processes take 13 ms, not 2. */
function readWhole(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    let text = '';
    for (let count = -1; count !== 0; ) {
      count = readSync(descriptor, chunk, 0, chunk.length, null);
      text += chunk.toString('latin1', 0, count);
    }
    return text;
  } finally {
    closeSync(descriptor);
  }
}

const chunk = Buffer.allocUnsafeSlow(1 << 16);

/**
 * Gone and hidden are answers. Any other error, such as no free file descriptor, must not be reported as "the process
 * is dead": locks are taken over on that answer.
 */
export function unlessHidden<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function readRow(pid: number): ProcessRow | undefined {
  const stat = readProcFile(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = fieldsOf(stat);
  const [state = '', parent] = fields;
  const states = () => (Number(fields[17]) > 1 ? readThreadStates(pid) : [state]);
  return { pid, parent: Number(parent), startedAt: fields[19] ?? '', states };
}

/** The state of a process is that of its first thread, which may have stopped or exited before the others. */
function readThreadStates(pid: number): string[] {
  const threads = unlessHidden(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap(thread => {
    const stat = readProcFile(pid, `task/${thread}/stat`);
    return stat === undefined ? [] : [fieldsOf(stat)[0] ?? ''];
  });
}

/** From the third on; see proc_pid_stat(5). The name before them may contain spaces, parentheses and line breaks. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

function parseStat(pid: number, stat: string): ProcessEntry | undefined {
  const fields = fieldsOf(stat);
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

/** A process whose first thread has exited looks like a zombie while its other threads run; it is alive. */
function isDead(state: string, threads: number): boolean {
  return state === 'X' || state === 'x' || (state === 'Z' && threads <= 1);
}

import { readdirSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { RuntimeName } from '../domain/runtime.js';
import { listProcPids, readProcFile, unlessHidden } from './proc-table.js';
import { currentRealm, toIdentity } from './process-identity.js';
import { ancestorsOf, findProcess, hasProc } from './process-table.js';

/**
 * For the environment of the process that stands on the host for a command in a sandbox: so what runs there is found by
 * every Carrel process, also after the one that started it was killed.
 */
export const sandboxVariables = (runtime: RuntimeName, workspaceId: string) => ({
  [VARIABLE]: `${runtime}:${workspaceId}`,
});

const VARIABLE = 'CARREL_SANDBOX_ID';

/** A command that runs for a workspace, known by the process that stands for it. */
export interface SandboxRoot {
  readonly workspaceId: string;
  readonly identity: ProcessIdentity;
}

/**
 * The living roots of a runtime, for one workspace or for all; neither this process nor who called it. Only those in our
 * own pid namespace: what runs inside a sandbox can write anything into its environment, and must not pass for another's
 * root.
 */
export function findSandboxRoots(runtime: RuntimeName, workspaceId?: string): SandboxRoot[] {
  const marked = hasProc() ? listProcPids().flatMap(pid => readMark(pid, runtime, workspaceId) ?? []) : [];
  if (marked.length === 0) return [];
  const realm = currentRealm();
  const namespace = readNamespace('self');
  const spared = new Set([process.pid, ...ancestorsOf(process.pid)]);
  return marked.flatMap(({ pid, id }) => {
    const isOurs = !spared.has(pid) && readNamespace(pid) === namespace;
    const entry = isOurs ? findProcess(pid) : undefined;
    return entry ? [{ workspaceId: id, identity: toIdentity(entry, realm) }] : [];
  });
}

const MARK = new RegExp(`\\0${VARIABLE}=([^\\0]*)\\0`);

function readMark(pid: number, runtime: RuntimeName, workspaceId: string | undefined) {
  const [name, id] = MARK.exec(`\0${readProcFile(pid, 'environ') ?? ''}\0`)?.[1]?.split(':') ?? [];
  return name === runtime && id !== undefined && id === (workspaceId ?? id) ? { pid, id } : undefined;
}

const readNamespace = (pid: number | 'self'): string | undefined =>
  unlessHidden(() => readlinkSync(`/proc/${pid}/ns/pid`));

/** One process of a sandbox, living or dead and not yet taken note of. */
export interface Member {
  readonly pid: number;
  readonly startedAt: string;
  /** One letter for every thread, as `ps` shows it; a zombie has none but Z. */
  readonly states: readonly string[];
}

/**
 * The roots themselves and everything below them, zombies too. Whatever runs in a pid namespace descends from its pid 1,
 * daemons included; and unlike the links of /proc/PID/ns, a process can't hide who its parent is.
 */
export function listMembers(roots: readonly SandboxRoot[]): Member[] {
  const table = roots.length > 0 ? listProcPids().flatMap(pid => readRow(pid) ?? []) : [];
  const starts = new Map(roots.map(({ identity }) => [identity.pid, identity.startedAt]));
  const isRoot = ({ pid, startedAt }: Row) => starts.get(pid) === startedAt;
  const found = new Set(table.filter(isRoot).map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid);
  }
  return table.filter(({ pid }) => found.has(pid)).map(toMember);
}

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
  readonly state: string;
  readonly threads: number;
}

function readRow(pid: number): Row | undefined {
  const stat = readProcFile(pid, 'stat');
  if (stat === undefined) return undefined;
  const fields = fieldsOf(stat);
  const [state = '', parent] = fields;
  return { pid, parent: Number(parent), startedAt: fields[19] ?? '', state, threads: Number(fields[17]) };
}

const toMember = ({ pid, startedAt, state, threads }: Row): Member => ({
  pid,
  startedAt,
  states: threads > 1 ? readThreadStates(pid) : [state],
});

/** The state of a process is that of its first thread, which may have stopped or ended before the others. */
function readThreadStates(pid: number): string[] {
  const threads = unlessHidden(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap(thread => {
    const stat = readProcFile(pid, `task/${thread}/stat`);
    return stat === undefined ? [] : [fieldsOf(stat)[0] ?? ''];
  });
}

/** From the third on; see proc_pid_stat(5). The name before them may hold anything. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ');

/** Looks once more just before: since the look at all of them the pid may have gone to another process. */
export function signalMember(member: Member, signal: NodeJS.Signals): void {
  if (findProcess(member.pid)?.startedAt !== member.startedAt) return;
  try {
    process.kill(member.pid, signal);
  } catch (error) {
    // Gone, or another user's: the next look tells.
    if (!['ESRCH', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
}

import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import { currentRealm, toIdentity } from '../process/identify-process.js';
import type { ProcessRow, ProcessVariables } from '../process/process-source.js';
import { ancestorsOf, systemProcesses } from '../process/process-table.js';

/**
 * For the environment of the process on the host that represents a command in a sandbox: every Carrel process finds it,
 * even after the one that started it was killed.
 */
export const sandboxVariables = (runtime: RuntimeName, workspaceId: string) => ({
  [VARIABLE]: `${runtime}:${workspaceId}`,
});

const VARIABLE = 'CARREL_SANDBOX_ID';

/** A command that runs for a workspace, identified by the process that represents it. */
export interface SandboxRoot {
  readonly workspaceId: string;
  readonly identity: ProcessIdentity;
}

/**
 * The living roots of a runtime, for one workspace or for all, except this process and its ancestors. Only those in our
 * own pid namespace: a process inside a sandbox can write anything into its environment, and must not look like another
 * sandbox's root.
 */
export function findSandboxRoots(
  runtime: RuntimeName,
  workspaceId?: string,
  source = systemProcesses(),
): SandboxRoot[] {
  const environmentOf = source.readEnvironments();
  const marked = source.pids().flatMap(pid => {
    const id = readMark(environmentOf(pid), runtime, workspaceId);
    return id === undefined ? [] : [{ pid, id }];
  });
  if (marked.length === 0) return [];
  const realm = currentRealm(source);
  const namespace = source.namespaceOf();
  const spared = new Set([process.pid, ...ancestorsOf(process.pid, source)]);
  return marked.flatMap(({ pid, id }) => {
    const isOurs = !spared.has(pid) && source.namespaceOf(pid) === namespace;
    const entry = isOurs ? source.find(pid) : undefined;
    return entry ? [{ workspaceId: id, identity: toIdentity(entry, realm) }] : [];
  });
}

const MARK = new RegExp(`\\0${VARIABLE}=([^\\0]*)\\0`);

function readMark(
  environment: ProcessVariables | undefined,
  runtime: RuntimeName,
  workspaceId: string | undefined,
): string | undefined {
  const [name, id] = MARK.exec(environment ?? '')?.[1]?.split(':') ?? [];
  return name === runtime && id === (workspaceId ?? id) ? id : undefined;
}

/** One process of a sandbox, alive or a zombie. */
export interface Member {
  readonly pid: number;
  readonly startedAt: string;
  /** One letter for every thread, as `ps` shows it; a zombie has only Z. */
  readonly states: readonly string[];
}

/**
 * The roots and everything below them, including zombies. Every process in a pid namespace descends from its pid 1,
 * including daemons; and unlike the links in /proc/PID/ns, a process can't hide its parent.
 */
export function listMembers(roots: readonly SandboxRoot[], source = systemProcesses()): Member[] {
  const table = roots.length > 0 ? source.listRows() : [];
  const starts = new Map(roots.map(({ identity }) => [identity.pid, identity.startedAt]));
  const isRoot = ({ pid, startedAt }: ProcessRow) => starts.get(pid) === startedAt;
  const found = new Set(table.filter(isRoot).map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of table) if (found.has(parent)) found.add(pid);
  }
  const members = table.filter(({ pid }) => found.has(pid));
  return members.map(({ pid, startedAt, states }) => ({ pid, startedAt, states: states() }));
}

/** Checks again just before: the pid may belong to another process since the table was read. */
export function signalMember(member: Member, signal: NodeJS.Signals, source = systemProcesses()): void {
  if (source.find(member.pid)?.startedAt !== member.startedAt) return;
  try {
    process.kill(member.pid, signal);
  } catch (error) {
    // Gone, or another user's: the next check finds out.
    if (!['ESRCH', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
}

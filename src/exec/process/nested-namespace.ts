import type { ProcessIdentity } from '../../domain/process-identity.js';
import { readProcFile } from './proc-table.js';
import type { ProcessSource } from './process-source.js';

/**
 * Looks for a process of another pid namespace of this boot. The processes of a namespace created from ours, such as a
 * container's seen from its host, are visible under other pids: then the answer is certain, even for a stopped process.
 * `unknown` when no process of the namespace is visible: it is a sibling or a parent of our namespace, or has ended.
 */
export function findNested(
  { pid, startedAt }: ProcessIdentity,
  namespace: string,
  source: ProcessSource,
): 'alive' | 'dead' | 'unknown' {
  if (source.name !== 'proc') return 'unknown';
  const namespaces = new Map(source.pids().map(each => [each, source.namespaceOf(each)]));
  const members = [...namespaces.keys()].filter(each => namespaces.get(each) === namespace);
  const isWanted = (member: number) =>
    innermostPid(member) === pid && source.find(member)?.startedAt === startedAt;
  if (members.some(isWanted)) return 'alive';
  // A process whose namespace is hidden may be the one.
  const mayBe = ([each, found]: [number, string | undefined]) =>
    found === undefined && source.find(each)?.startedAt === startedAt;
  return members.length === 0 || [...namespaces].some(mayBe) ? 'unknown' : 'dead';
}

/** The last number of `NSpid` in proc_pid_status(5): the pid that the process itself sees. */
function innermostPid(pid: number): number | undefined {
  const numbers = /^NSpid:\s*(.+)$/m.exec(readProcFile(pid, 'status') ?? '')?.[1];
  return numbers === undefined ? undefined : Number(numbers.trim().split(/\s+/).at(-1));
}

import { errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { findNested } from './nested-namespace.js';
import { formatRealm, isAnotherMachine, parseRealm } from './process-realm.js';
import { type ProcessEntry, systemProcesses } from './process-table.js';

/** The lasting identity of a living process; undefined when there is none with this pid. */
export function identifyProcess(pid: number, source = systemProcesses()): ProcessIdentity | undefined {
  const entry = source.find(pid);
  return entry && toIdentity(entry, currentRealm(source));
}

/**
 * Whether exactly this process still lives. `unknown` when it can't be looked up from here: it belongs to another
 * machine or another pid namespace (a container), or the system hides it. Then its heartbeat decides, for up to
 * LONGEST_SILENCE_MS. A process of an earlier boot of this machine is dead.
 */
export function isAlive(identity: ProcessIdentity, source = systemProcesses()): 'alive' | 'dead' | 'unknown' {
  const here = parseRealm(currentRealm(source));
  const there = parseRealm(identity.realm);
  if (there.boot !== here.boot) return isAnotherMachine(there, here) ? 'unknown' : 'dead';
  if (there.namespace !== here.namespace) return findNested(identity, there.namespace, source);
  const entry = source.find(identity.pid);
  if (entry) return entry.startedAt === identity.startedAt ? 'alive' : 'dead';
  return isHidden(identity.pid) ? 'unknown' : 'dead';
}

/**
 * The same for a process that is recorded in the state directory. Only one machine at a time uses that
 * (store/state-claim.ts): a process of another machine has lost its claim, or we would have been refused, and can no
 * longer record anything.
 */
export function findOwnerState(
  owner: ProcessIdentity,
  source = systemProcesses(),
): 'alive' | 'dead' | 'unknown' {
  return isElsewhere(owner, source) ? 'dead' : isAlive(owner, source);
}

/** Whether it is a process of another machine. */
export const isElsewhere = ({ realm }: ProcessIdentity, source = systemProcesses()): boolean =>
  isAnotherMachine(parseRealm(realm), parseRealm(currentRealm(source)));

export function toIdentity(entry: ProcessEntry, realm: string): ProcessIdentity {
  return { pid: entry.pid, startedAt: entry.startedAt, realm };
}

/** The realm of this process; see process-realm.ts. */
export const currentRealm = (source = systemProcesses()): string =>
  formatRealm({
    boot: source.boot(),
    namespace: source.namespaceOf() ?? '-',
    machine: source.machine(),
  });

/** Changes with every boot of the machine. */
export const currentBoot = (): string => systemProcesses().boot();

/** /proc mounted with hidepid shows nothing of another user's processes, but a signal shows that there is one. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

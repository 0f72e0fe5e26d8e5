import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, errnoOf } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { currentRealm, isAlive } from './process-identity.js';
import { ancestorsOf, findProcess, listProcesses, type ProcessEntry } from './process-table.js';
import { type TreeRoot, trackTree } from './process-tree.js';

export interface KillOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export interface KillTreeOptions extends KillOptions {
  /** Processes with this value of CARREL_COMMAND_ID in their environment belong to the tree too (Linux). */
  readonly marker?: string | undefined;
}

export interface KillResult {
  /**
   * Pids that still live: another user's, stuck in the kernel, of another pid namespace, or spared because they are
   * this process or one of its ancestors. Empty means confirmed: all are dead.
   */
  readonly survivors: readonly number[];
}

/** Ends a process with everything that stems from it and waits until all of it is dead. */
export async function killTree(root: TreeRoot, options: KillTreeOptions): Promise<KillResult> {
  if (root.pid <= 1) throw carrelError('INTERNAL', { problem: `killing the tree of pid ${root.pid}` });
  const tree = trackTree(root, options.marker);
  return await endAll({ living: () => tree.living(), groups: () => tree.groups() }, options.graceMs);
}

/** Ends exactly these processes and waits until they are dead; a pid that meanwhile is another process is left alone. */
export async function killProcesses(
  identities: readonly ProcessIdentity[],
  options: KillOptions,
): Promise<KillResult> {
  const unknown = identities
    .filter(identity => isAlive(identity) === 'unknown')
    .map(identity => identity.pid);
  const realm = currentRealm();
  const ours = identities.filter(identity => identity.realm === realm);
  const { survivors } = await endAll(
    { living: () => ours.flatMap(findSame), groups: () => [] },
    options.graceMs,
  );
  return { survivors: [...new Set([...survivors, ...unknown])] };
}

interface Targets {
  living(): ProcessEntry[];
  groups(): number[];
}

/** What SIGKILL has not ended by then waits inside the kernel (a dead network file system) and may never end. */
const KILL_WAIT_MS = 5000;

/**
 * The second round is never left out: processes that hand over to a child and exit can slip through every look at the
 * table, but not through a SIGKILL to their group.
 */
async function endAll(targets: Targets, graceMs: number): Promise<KillResult> {
  // Those that can't be ended: us, our ancestors, pid 1, and later those that refuse our signal.
  const spared = new Set([process.pid, ...ancestorsOf(process.pid), 1]);
  await signalUntilGone(targets, askToEnd, spared, graceMs);
  const survivors = await signalUntilGone(targets, forceToEnd, spared, KILL_WAIT_MS);
  return { survivors: survivors.map(entry => entry.pid) };
}

type Signalling = (entries: readonly ProcessEntry[], targets: Targets, spared: Set<number>) => void;

/** Gives those that live at the end. Each look may find new ones: a dying shell starts its exit traps. */
async function signalUntilGone(
  targets: Targets,
  signalling: Signalling,
  spared: Set<number>,
  limitMs: number,
): Promise<ProcessEntry[]> {
  const deadline = performance.now() + limitMs;
  const asked = new Set<string>();
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    const living = targets.living();
    const fresh = living.filter(entry => !spared.has(entry.pid) && isFresh(asked, entry));
    signalling(fresh, targets, spared);
    const remaining = deadline - performance.now();
    if (living.every(entry => spared.has(entry.pid)) || remaining <= 0) return living;
    await delay(Math.min(pause, remaining));
  }
}

/** One signal each, but again when it is stopped: only SIGCONT lets a stopped process see its SIGTERM. */
function isFresh(asked: Set<string>, entry: ProcessEntry): boolean {
  const key = `${entry.pid} ${entry.startedAt}`;
  if (asked.has(key)) return entry.state === 'T';
  asked.add(key);
  return true;
}

const askToEnd: Signalling = (entries, _targets, spared) => {
  for (const entry of entries) {
    send(entry, 'SIGTERM', spared);
    if (entry.state === 'T') send(entry, 'SIGCONT', spared);
  }
};

const forceToEnd: Signalling = (entries, targets, spared) => {
  for (const group of targets.groups()) killGroup(group, spared);
  for (const entry of entries) send(entry, 'SIGKILL', spared);
};

function killGroup(group: number, spared: ReadonlySet<number>): void {
  if (listProcesses().some(entry => entry.group === group && spared.has(entry.pid))) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Looks once more just before: between reading the table and now the pid may have gone to another process. */
function send(entry: ProcessEntry, signal: NodeJS.Signals, spared: Set<number>): void {
  if (findSame(entry).length === 0) return;
  try {
    process.kill(entry.pid, signal);
  } catch (error) {
    if (errnoOf(error) === 'EPERM') spared.add(entry.pid);
    else if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

function findSame(wanted: { readonly pid: number; readonly startedAt: string }): ProcessEntry[] {
  const found = findProcess(wanted.pid);
  return found?.startedAt === wanted.startedAt ? [found] : [];
}

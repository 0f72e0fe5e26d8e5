import { setTimeout as delay } from 'node:timers/promises';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { currentRealm, isAlive } from '../process/identify-process.js';
import { isSameRealm } from '../process/process-realm.js';
import type { ProcessSource } from '../process/process-source.js';
import { ancestorsOf, type ProcessEntry, systemProcesses } from '../process/process-table.js';
import { type TreeRoot, trackTree } from '../process/process-tree.js';
import { findOrphans } from './orphans.js';

export interface KillOptions {
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** The system's own by default. */
  readonly source?: ProcessSource | undefined;
}

export interface KillTreeOptions extends KillOptions {
  /** Processes with this value of CARREL_COMMAND_ID in their environment belong to the tree too, where the system shows it. */
  readonly marker?: string | undefined;
}

export interface KillResult {
  /**
   * Pids that are still alive: another user's, stuck in the kernel, in another pid namespace, or spared because they
   * are this process or one of its ancestors. Empty means that all are confirmed dead.
   */
  readonly survivors: readonly number[];
}

/** Kills a process with all its descendants and waits until they are dead. */
export async function killTree(root: TreeRoot, options: KillTreeOptions): Promise<KillResult> {
  if (root.pid <= 1) throw carrelError('INTERNAL', { problem: `killing the tree of pid ${root.pid}` });
  const { source = systemProcesses() } = options;
  const { living, groups } = trackTree(root, options.marker, source);
  return await killAll({ living, groups, source }, options.graceMs);
}

/** Kills exactly these processes and waits until they are dead; a pid that meanwhile is another process is left alone. */
export async function killProcesses(
  identities: readonly ProcessIdentity[],
  options: KillOptions,
): Promise<KillResult> {
  const { source = systemProcesses() } = options;
  const unknown = identities
    .filter(identity => isAlive(identity, source) === 'unknown')
    .map(identity => identity.pid);
  const realm = currentRealm(source);
  const ours = identities.filter(identity => isSameRealm(identity.realm, realm));
  const { survivors } = await killAll(
    { living: () => ours.flatMap(identity => findSame(identity, source)), groups: () => [], source },
    options.graceMs,
  );
  return { survivors: [...new Set([...survivors, ...unknown])] };
}

/**
 * Kills what a dead Carrel process has left running (see orphans.ts) and waits until it is dead. Processes that those start in the
 * meantime are killed too: a shell in a loop always has a new child.
 */
export async function killOrphans(parent: ProcessIdentity, options: KillOptions): Promise<KillResult> {
  const { source = systemProcesses() } = options;
  const living = () => findOrphans(parent, source).flatMap(orphan => findSame(orphan, source));
  return await killAll({ living, groups: () => [], source }, options.graceMs);
}

interface Targets {
  living(): ProcessEntry[];
  groups(): number[];
  readonly source: ProcessSource;
}

/**
 * Processes that survive SIGKILL until then are stuck in the kernel (a dead network file system) and may never exit.
 */
const KILL_WAIT_MS = 5000;

/**
 * The second round always runs: processes that hand over to a child and exit can be missed by every check of the table,
 * but not by a SIGKILL to their group.
 */
async function killAll(targets: Targets, graceMs: number): Promise<KillResult> {
  // Those that can't be killed: us, our ancestors, pid 1, and later those that refuse our signal.
  const spared = new Set([process.pid, ...ancestorsOf(process.pid, targets.source), 1]);
  await signalUntilGone(targets, sendTerm, spared, graceMs);
  const survivors = await signalUntilGone(targets, sendKill, spared, KILL_WAIT_MS);
  return { survivors: survivors.map(entry => entry.pid) };
}

type Signalling = (entries: readonly ProcessEntry[], targets: Targets, spared: Set<number>) => void;

/** Returns those that are alive at the end. Each check may find new ones: a dying shell starts its exit traps. */
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
    const left = living.filter(entry => !spared.has(entry.pid));
    // What a process starts after its SIGTERM helps it to exit: the commands of its trap must not be interrupted.
    const helpers = signalling === sendTerm ? findHelpers(left, asked) : new Set<ProcessEntry>();
    const fresh = left.filter(entry => !helpers.has(entry) && isFresh(asked, entry));
    signalling(fresh, targets, spared);
    const remaining = deadline - performance.now();
    if (living.every(entry => spared.has(entry.pid)) || remaining <= 0) return living;
    await delay(Math.min(pause, remaining));
  }
}

/** Processes that got no SIGTERM yet and whose parent did and is alive. When the parent is gone, they get one. */
function findHelpers(living: readonly ProcessEntry[], asked: ReadonlySet<string>): ReadonlySet<ProcessEntry> {
  const parents = new Set(living.filter(entry => asked.has(keyOf(entry))).map(({ pid }) => pid));
  return new Set(living.filter(entry => !asked.has(keyOf(entry)) && parents.has(entry.parent)));
}

const keyOf = ({ pid, startedAt }: ProcessEntry): string => `${pid} ${startedAt}`;

/** One signal each, but again when it is stopped: a stopped process receives SIGTERM only after SIGCONT. */
function isFresh(asked: Set<string>, entry: ProcessEntry): boolean {
  const key = keyOf(entry);
  if (asked.has(key)) return entry.state === 'T';
  asked.add(key);
  return true;
}

const sendTerm: Signalling = (entries, { source }, spared) => {
  for (const entry of entries) {
    send(source, entry, 'SIGTERM', spared);
    if (entry.state === 'T') send(source, entry, 'SIGCONT', spared);
  }
};

const sendKill: Signalling = (entries, targets, spared) => {
  const { source } = targets;
  for (const group of targets.groups()) killGroup(source, group, spared);
  for (const entry of entries) send(source, entry, 'SIGKILL', spared);
};

function killGroup(source: ProcessSource, group: number, spared: ReadonlySet<number>): void {
  if (source.list().some(entry => entry.group === group && spared.has(entry.pid))) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
}

/** Checks again just before: the pid may belong to another process since the table was read. */
function send(source: ProcessSource, entry: ProcessEntry, signal: NodeJS.Signals, spared: Set<number>): void {
  if (findSame(entry, source).length === 0) return;
  try {
    process.kill(entry.pid, signal);
  } catch (error) {
    if (errnoOf(error) === 'EPERM') spared.add(entry.pid);
    else if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

function findSame(
  wanted: { readonly pid: number; readonly startedAt: string },
  source: ProcessSource,
): ProcessEntry[] {
  const found = source.find(wanted.pid);
  return found?.startedAt === wanted.startedAt ? [found] : [];
}

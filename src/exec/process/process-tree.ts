import type { ProcessSource, ProcessVariables } from './process-source.js';
import { type ProcessEntry, systemProcesses } from './process-table.js';

/** Set in every process of one command, so that a daemon that left its parent, group and session is still found. */
export const COMMAND_ID_VARIABLE = 'CARREL_COMMAND_ID';

export interface TreeRoot {
  readonly pid: number;
  /**
   * From an earlier record: when the pid belongs to another process by now, only the marker leads to its descendants.
   * Leave it out for our own child that is running or has just exited; no other process can have its pid.
   */
  readonly startedAt?: string | undefined;
}

export interface ProcessTree {
  /** The members that live now; a member stays one when its parent dies. */
  living(): ProcessEntry[];
  /** Groups that members led, while their numbers can't belong to others; they may be empty by now. */
  groups(): number[];
}

/**
 * Pid and start time of every process that was ever a member; the start time of a root that was dead at the first check
 * is unknown.
 */
type Members = Map<number, string | undefined>;

/** Limits the rounds for a tree that keeps forking; the next check continues. */
const MOST_ROUNDS = 10;

/**
 * Tracks the processes that descend from `root`: a process whose parent, group or session is a member is a member too,
 * and so is one with the marker. A daemon that left all three, was started through intermediate processes that are
 * gone, and wiped its environment can't be distinguished from an unrelated process here; see
 * exec/stop/stray-processes.ts.
 */
export function trackTree(root: TreeRoot, marker?: string, source = systemProcesses()): ProcessTree {
  const members: Members = new Map();
  // The root's group counts even if the root was never seen: it may be gone while its group continues in short-lived
  // processes.
  const groups = new Set([root.pid]);
  const findMarked = createMarkerTest(source, marker);
  if (isStillItself(root, source)) members.set(root.pid, root.startedAt);
  const look = (): ProcessEntry[] => {
    const table = source.list();
    forgetReused(members, table);
    addRelatives(members, table, findMarked(table));
    const living = table.filter(entry => members.has(entry.pid));
    for (const { group } of living) if (members.has(group)) groups.add(group);
    return living;
  };
  return {
    living: () => repeatWhileGrowing(look, () => members.size),
    groups: () => [...groups].filter(group => isFreeOrLedBy(members, group, source)),
  };
}

function isStillItself(root: TreeRoot, source: ProcessSource): boolean {
  return root.startedAt === undefined || source.find(root.pid)?.startedAt === root.startedAt;
}

/** Otherwise the children of a process that reused a dead member's pid would count. */
function forgetReused(members: Members, table: readonly ProcessEntry[]): void {
  for (const entry of table) {
    const startedAt = members.get(entry.pid);
    if (startedAt !== undefined && startedAt !== entry.startedAt) members.delete(entry.pid);
    else if (members.has(entry.pid)) members.set(entry.pid, entry.startedAt);
  }
}

function addRelatives(members: Members, table: readonly ProcessEntry[], marked: ReadonlySet<number>): void {
  const isRelated = ({ parent, group, session }: ProcessEntry) =>
    members.has(parent) || members.has(group) || members.has(session);
  for (;;) {
    const found = table.filter(
      entry => entry.pid > 1 && !members.has(entry.pid) && (isRelated(entry) || marked.has(entry.pid)),
    );
    if (found.length === 0) return;
    for (const entry of found) members.set(entry.pid, entry.startedAt);
  }
}

/** The number of a group is not reused while it has processes, so only a living leader can be unrelated. */
function isFreeOrLedBy(members: Members, group: number, source: ProcessSource): boolean {
  const leader = source.find(group);
  return members.has(group) && (leader === undefined || leader.startedAt === members.get(group));
}

/** Members may fork while the table is read: the result is complete when another check finds nothing new. */
function repeatWhileGrowing<T>(look: () => T, size: () => number): T {
  for (let round = 1; ; round++) {
    const before = size();
    const result = look();
    if (size() === before || round === MOST_ROUNDS) return result;
  }
}

/**
 * Finds the processes that have the marker, where the system shows environments (macOS shows few). A marker in our own
 * environment names the command that we belong to, not one that we started, and finds nothing. Each process is
 * inspected once.
 */
function createMarkerTest(
  source: ProcessSource,
  marker: string | undefined,
): (table: readonly ProcessEntry[]) => ReadonlySet<number> {
  const strangers = new Set<string>();
  const variable = `\0${COMMAND_ID_VARIABLE}=${marker}\0`;
  const isMarked = (environment: ProcessVariables | undefined) => environment?.includes(variable) ?? false;
  let isOurs: boolean | undefined;
  return table => {
    const fresh = table.filter(entry => !strangers.has(keyOf(entry)));
    if (!marker || isOurs || fresh.length === 0) return NONE;
    const environmentOf = source.readEnvironments();
    isOurs ??= isMarked(environmentOf(process.pid));
    if (isOurs) return NONE;
    const marked = new Set(fresh.map(({ pid }) => pid).filter(pid => isMarked(environmentOf(pid))));
    for (const entry of fresh) if (!marked.has(entry.pid)) strangers.add(keyOf(entry));
    return marked;
  };
}

const NONE: ReadonlySet<number> = new Set();

const keyOf = ({ pid, startedAt }: ProcessEntry): string => `${pid} ${startedAt}`;

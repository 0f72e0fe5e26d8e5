import { readProcFile } from './proc-table.js';
import { findProcess, hasProc, listProcesses, type ProcessEntry } from './process-table.js';

/** Carried by every process of one command, so that a daemon that left its parent, group and session is still found. */
export const COMMAND_ID_VARIABLE = 'CARREL_COMMAND_ID';

export interface TreeRoot {
  readonly pid: number;
  /**
   * From a record made earlier: when the pid is no longer that process, only the marker leads to its descendants.
   * Leave it out for a child of our own that is running or has only just ended; nobody else can have its pid.
   */
  readonly startedAt?: string | undefined;
}

export interface ProcessTree {
  /** The living members now; those found once stay members when their parents die. */
  living(): ProcessEntry[];
  /** Groups that members led, as far as their numbers are still theirs; they may be empty by now. */
  groups(): number[];
}

/** Pid and start of everyone who ever belonged; the start of a root that was dead at the first look is not known. */
type Members = Map<number, string | undefined>;

/** A tree that forks without end is looked at this often at most; the next look goes on. */
const MOST_ROUNDS = 10;

/**
 * Follows the processes that stem from `root`: a process whose parent, group or session is a member is one too, and so
 * is one that carries the marker. A daemon that left all three, was started through intermediate processes that are
 * gone and has wiped its environment can't be told from a stranger here; see strays.ts.
 */
export function trackTree(root: TreeRoot, marker?: string): ProcessTree {
  const members: Members = new Map();
  // The root's even unseen: it may be gone while its group goes on in processes too short-lived for the table.
  const groups = new Set([root.pid]);
  const isMarked = createMarkerTest(marker);
  if (isStillItself(root)) members.set(root.pid, root.startedAt);
  const look = (): ProcessEntry[] => {
    const table = listProcesses();
    forgetReused(members, table);
    addRelatives(members, table, isMarked);
    const living = table.filter(entry => members.has(entry.pid));
    for (const { group } of living) if (members.has(group)) groups.add(group);
    return living;
  };
  return {
    living: () => repeatWhileGrowing(look, () => members.size),
    groups: () => [...groups].filter(group => isFreeOrLedBy(members, group)),
  };
}

function isStillItself(root: TreeRoot): boolean {
  return root.startedAt === undefined || findProcess(root.pid)?.startedAt === root.startedAt;
}

/** Without this the children of whoever got a dead member's pid would count. */
function forgetReused(members: Members, table: readonly ProcessEntry[]): void {
  for (const entry of table) {
    const startedAt = members.get(entry.pid);
    if (startedAt !== undefined && startedAt !== entry.startedAt) members.delete(entry.pid);
    else if (members.has(entry.pid)) members.set(entry.pid, entry.startedAt);
  }
}

function addRelatives(
  members: Members,
  table: readonly ProcessEntry[],
  isMarked: (entry: ProcessEntry) => boolean,
): void {
  const isRelated = ({ parent, group, session }: ProcessEntry) =>
    members.has(parent) || members.has(group) || members.has(session);
  for (;;) {
    const found = table.filter(
      entry => entry.pid > 1 && !members.has(entry.pid) && (isRelated(entry) || isMarked(entry)),
    );
    if (found.length === 0) return;
    for (const entry of found) members.set(entry.pid, entry.startedAt);
  }
}

/** While a group has processes its number is not given away, so only a living leader can be a stranger. */
function isFreeOrLedBy(members: Members, group: number): boolean {
  const leader = findProcess(group);
  return members.has(group) && (leader === undefined || leader.startedAt === members.get(group));
}

/** Reading the table takes a moment in which members fork: it is complete when another look finds nothing new. */
function repeatWhileGrowing<T>(look: () => T, size: () => number): T {
  for (let round = 1; ; round++) {
    const before = size();
    const result = look();
    if (size() === before || round === MOST_ROUNDS) return result;
  }
}

/**
 * Only Linux lets us read another process's environment. A marker that we carry ourselves names the command that we are
 * part of, not one that we started, and finds nothing.
 */
function createMarkerTest(marker: string | undefined): (entry: ProcessEntry) => boolean {
  if (!marker || !hasProc() || carriesMarker(process.pid, marker)) return () => false;
  const strangers = new Set<string>();
  return ({ pid, startedAt }) => {
    const key = `${pid} ${startedAt}`;
    if (strangers.has(key)) return false;
    const marked = carriesMarker(pid, marker);
    if (!marked) strangers.add(key);
    return marked;
  };
}

function carriesMarker(pid: number, marker: string): boolean {
  const environment = readProcFile(pid, 'environ') ?? '';
  return `\0${environment}\0`.includes(`\0${COMMAND_ID_VARIABLE}=${marker}\0`);
}

import type { Changes } from '../../domain/workspace/workspace.js';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { splitRecords } from '../git.js';
import { confirmOwnIndex } from '../index/confirmed-index.js';
import { findUnseenEdits } from '../index/unseen-edits.js';
import { type CheckoutPlace, parseEntry, type StatusEntry, withUnseen } from './status-entries.js';

export interface WorkTreeStatus {
  /** Null on an unborn branch. */
  readonly head: string | null;
  /** Short branch name; null when detached. */
  readonly branch: string | null;
  readonly changes: Changes;
  /** What git could not read, in its own words: a directory that it may not open counts as empty. */
  readonly warning?: string | undefined;
}

export type StatusHeaders = Omit<WorkTreeStatus, 'changes'>;

/** `git status`, whatever the user's configuration for untracked files and renames says; submodules are the caller's choice. */
export const STATUS_QUERY = [
  'status',
  '--porcelain=v2',
  '--branch',
  // Of a branch with an upstream both histories would be walked.
  '--no-ahead-behind',
  '-z',
  '--untracked-files=all',
  '--no-renames',
] as const;

/** One `git status`, and the edits that it misses. */
export async function readStatus(git: Git, place: CheckoutPlace): Promise<WorkTreeStatus> {
  return readStatusWith(git, place, () => findUnseenEdits(git, place));
}

/** The same for a workspace's own index, which is confirmed where that saves git from reading its files again. */
export async function readOwnStatus(git: Git, place: CheckoutPlace): Promise<WorkTreeStatus> {
  const { index, isProven } = await confirmOwnIndex(place);
  return readStatusWith(git, place, async () => (isProven ? [] : findUnseenEdits(git, place, index)));
}

async function readStatusWith(
  git: Git,
  place: CheckoutPlace,
  findUnseen: () => Promise<readonly BytePath[]>,
): Promise<WorkTreeStatus> {
  const [{ stdout, stderr }, unseen] = await Promise.all([
    git.run([...STATUS_QUERY, '--ignore-submodules=none'], place),
    findUnseen(),
  ]);
  const records = splitRecords(stdout);
  const entries = withUnseen(records.flatMap(parseEntry), unseen);
  return { ...readHeaders(records, stderr), changes: countChanges(entries) };
}

export function readHeaders(records: readonly string[], stderr: Buffer): StatusHeaders {
  const header = (key: string) =>
    records.find(record => record.startsWith(`# ${key} `))?.slice(key.length + 3) ?? null;
  const oid = header('branch.oid');
  const branch = header('branch.head');
  return {
    head: oid === '(initial)' ? null : oid,
    branch: branch === '(detached)' ? null : branch,
    warning: stderr.toString('utf8').split('\n', 1)[0] || undefined,
  };
}

/** `isHidden`: whether git is set to ignore changes of a file. */
export function countChanges(
  entries: readonly StatusEntry[],
  isHidden: (path: BytePath) => boolean = () => false,
): Changes {
  const changes = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };
  for (const { path, kind, isStaged, isUnstaged } of entries) {
    if (kind === 'tracked') {
      if (isStaged) changes.staged++;
      if (isUnstaged && !isHidden(path)) changes.unstaged++;
    } else changes[kind]++;
  }
  return changes;
}

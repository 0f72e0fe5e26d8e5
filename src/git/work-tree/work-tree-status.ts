import type { Changes } from '../../domain/workspace/workspace.js';
import type { BytePath } from '../byte-path.js';
import type { Git } from '../git.js';
import { splitRecords } from '../git.js';
import { findUnseenEdits } from '../index/unseen-edits.js';
import { type CheckoutPlace, parseEntry } from './status-entries.js';

export interface WorkTreeStatus {
  /** Null on an unborn branch. */
  readonly head: string | null;
  /** Short branch name; null when detached. */
  readonly branch: string | null;
  readonly changes: Changes;
  /** What git could not read, in its own words: a directory that it may not open counts as empty. */
  readonly warning?: string | undefined;
}

/** One `git status`, regardless of the user's configuration for untracked files, renames and submodules. */
export async function readStatus(git: Git, place: CheckoutPlace): Promise<WorkTreeStatus> {
  const query = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=all',
    '--ignore-submodules=none',
    '--no-renames',
  ];
  const [{ stdout, stderr }, unseen] = await Promise.all([
    git.run(query, place),
    findUnseenEdits(git, place),
  ]);
  const warning = stderr.toString('utf8').split('\n', 1)[0] || undefined;
  return { ...parseStatus(splitRecords(stdout), unseen), warning };
}

function parseStatus(records: readonly string[], unseen: readonly BytePath[]): WorkTreeStatus {
  const header = (key: string) =>
    records.find(record => record.startsWith(`# ${key} `))?.slice(key.length + 3) ?? null;
  const oid = header('branch.oid');
  const branch = header('branch.head');
  return {
    head: oid === '(initial)' ? null : oid,
    branch: branch === '(detached)' ? null : branch,
    changes: countChanges(records, unseen),
  };
}

function countChanges(records: readonly string[], unseen: readonly BytePath[]): Changes {
  const changes = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };
  const seen = new Set<BytePath>();
  for (const { path, kind, isStaged, isUnstaged } of records.flatMap(parseEntry)) {
    if (kind === 'tracked') {
      if (isStaged) changes.staged++;
      if (isUnstaged) changes.unstaged++;
      if (isUnstaged) seen.add(path);
    } else changes[kind]++;
  }
  changes.unstaged += unseen.filter(path => !seen.has(path)).length;
  return changes;
}

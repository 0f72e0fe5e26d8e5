import type { Changes } from '../domain/workspace.js';
import type { Git, GitPlace } from './git.js';
import { splitRecords } from './git.js';

export interface WorkTreeStatus {
  /** Null on an unborn branch. */
  readonly head: string | null;
  /** Short branch name; null when detached. */
  readonly branch: string | null;
  readonly changes: Changes;
}

/** One `git status`, whatever the user's configuration says about untracked files, renames and submodules. */
export async function readStatus(git: Git, place: GitPlace): Promise<WorkTreeStatus> {
  const query = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=all',
    '--ignore-submodules=none',
    '--no-renames',
  ];
  return parseStatus(splitRecords((await git.run(query, place)).stdout));
}

function parseStatus(records: readonly string[]): WorkTreeStatus {
  const header = (key: string) =>
    records.find(record => record.startsWith(`# ${key} `))?.slice(key.length + 3) ?? null;
  const oid = header('branch.oid');
  const branch = header('branch.head');
  return {
    head: oid === '(initial)' ? null : oid,
    branch: branch === '(detached)' ? null : branch,
    changes: countChanges(records),
  };
}

function countChanges(records: readonly string[]): Changes {
  const changes = { staged: 0, unstaged: 0, untracked: 0, conflicted: 0 };
  for (const record of records) {
    if (record.startsWith('? ')) changes.untracked++;
    else if (record.startsWith('u ')) changes.conflicted++;
    else if (record.startsWith('1 ') || record.startsWith('2 ')) {
      if (record[2] !== '.') changes.staged++;
      if (record[3] !== '.') changes.unstaged++;
    }
  }
  return changes;
}

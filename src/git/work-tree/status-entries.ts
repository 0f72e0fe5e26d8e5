import type { BytePath } from '../byte-path.js';
import type { Git, GitPlace } from '../git.js';
import { findUnseenEdits } from '../index/unseen-edits.js';

export interface StatusEntry {
  readonly path: BytePath;
  readonly kind: 'tracked' | 'conflicted' | 'untracked';
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
}

export type CheckoutPlace = GitPlace & Readonly<Record<'gitDir' | 'workTree', string>>;

/**
 * The lines of `git status`, one for each path, and the edits that it misses; nothing is refreshed or written.
 */
export async function listStatusEntries(
  git: Git,
  place: CheckoutPlace,
  look: { readonly untracked: boolean; readonly submodules: 'all' | 'commits' },
): Promise<StatusEntry[]> {
  const query = [
    ...['status', '--porcelain=v2', '-z', '--no-renames'],
    `--untracked-files=${look.untracked ? 'all' : 'no'}`,
    `--ignore-submodules=${look.submodules === 'all' ? 'none' : 'dirty'}`,
  ];
  const [records, unseen] = await Promise.all([git.records(query, place), findUnseenEdits(git, place)]);
  return withUnseen(records.flatMap(parseEntry), unseen);
}

function withUnseen(entries: readonly StatusEntry[], unseen: readonly BytePath[]): StatusEntry[] {
  const isUnseen = new Set(unseen);
  const marked = entries.map(entry =>
    isUnseen.delete(entry.path) && entry.kind === 'tracked' ? { ...entry, isUnstaged: true } : entry,
  );
  const added = [...isUnseen].map(
    path => ({ path, kind: 'tracked', isStaged: false, isUnstaged: true }) as const,
  );
  return [...marked, ...added];
}

/** `? path`, `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`. */
export function parseEntry(record: string): StatusEntry[] {
  const pathAfter = (fields: number) => record.split(' ').slice(fields).join(' ');
  const marks = { isStaged: record[2] !== '.', isUnstaged: record[3] !== '.' };
  if (record.startsWith('? '))
    return [{ path: pathAfter(1), kind: 'untracked', isStaged: false, isUnstaged: true }];
  if (record.startsWith('1 ')) return [{ path: pathAfter(8), kind: 'tracked', ...marks }];
  if (record.startsWith('u ')) return [{ path: pathAfter(10), kind: 'conflicted', ...marks }];
  return [];
}

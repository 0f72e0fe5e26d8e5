import type { BytePath } from '../byte-path.js';
import type { Git, GitPlace } from '../git.js';
import { GITLINK_MODE } from '../index/list-index-entries.js';
import { findUnseenEdits } from '../index/unseen-edits.js';

export interface StatusEntry {
  readonly path: BytePath;
  readonly kind: 'tracked' | 'conflicted' | 'untracked';
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
  /** For a submodule, unless something else is in its place: whether it has another commit than the index says. */
  readonly submodule?: { readonly hasOtherCommit: boolean } | undefined;
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

/** Tracked files that differ, and the commit of HEAD; null on an unborn branch. Submodules are not entered. */
export async function readTrackedStatus(
  git: Git,
  place: CheckoutPlace,
): Promise<{ readonly head: string | null; readonly entries: readonly StatusEntry[] }> {
  const query = [
    ...['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z', '--no-renames'],
    ...['--untracked-files=no', '--ignore-submodules=dirty'],
  ];
  const [records, unseen] = await Promise.all([git.records(query, place), findUnseenEdits(git, place)]);
  const oid = records.find(record => record.startsWith(OID))?.slice(OID.length) ?? null;
  return {
    head: oid === '(initial)' ? null : oid,
    entries: withUnseen(records.flatMap(parseEntry), unseen),
  };
}

const OID = '# branch.oid ';

/** Adds the edits that git misses. */
export function withUnseen(entries: readonly StatusEntry[], unseen: readonly BytePath[]): StatusEntry[] {
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
  if (record.startsWith('1 '))
    return [{ path: pathAfter(8), kind: 'tracked', ...marks, ...describeSubmodule(record) }];
  if (record.startsWith('u ')) return [{ path: pathAfter(10), kind: 'conflicted', ...marks }];
  return [];
}

/** `1 XY SCMU mH mI mW ...`: the second letter of the third field is C for another commit. */
function describeSubmodule(record: string): Pick<StatusEntry, 'submodule'> {
  const [, , state = '', , inIndex, onDisk] = record.split(' ', 6);
  const isOne = inIndex === GITLINK_MODE && (onDisk === GITLINK_MODE || onDisk === '000000');
  return isOne ? { submodule: { hasOtherCommit: state[1] === 'C' } } : {};
}

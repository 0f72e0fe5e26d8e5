import type { BytePath } from './byte-path.js';
import type { Git, GitPlace } from './git.js';

export interface StatusEntry {
  readonly path: BytePath;
  readonly kind: 'tracked' | 'conflicted' | 'untracked';
  readonly isStaged: boolean;
  readonly isUnstaged: boolean;
}

/** The lines of `git status`, one for each path; nothing is refreshed or written. */
export async function listStatusEntries(
  git: Git,
  place: GitPlace,
  look: { readonly untracked: boolean; readonly submodules: 'all' | 'commits' },
): Promise<StatusEntry[]> {
  const records = await git.records(
    [
      ...['status', '--porcelain=v2', '-z', '--no-renames'],
      `--untracked-files=${look.untracked ? 'all' : 'no'}`,
      `--ignore-submodules=${look.submodules === 'all' ? 'none' : 'dirty'}`,
    ],
    place,
  );
  return records.flatMap(parseEntry);
}

/** `? path`, `1 XY sub mH mI mW hH hI path`, `u XY sub m1 m2 m3 mW h1 h2 h3 path`. */
function parseEntry(record: string): StatusEntry[] {
  const pathAfter = (fields: number) => record.split(' ').slice(fields).join(' ');
  const marks = { isStaged: record[2] !== '.', isUnstaged: record[3] !== '.' };
  if (record.startsWith('? '))
    return [{ path: pathAfter(1), kind: 'untracked', isStaged: false, isUnstaged: true }];
  if (record.startsWith('1 ')) return [{ path: pathAfter(8), kind: 'tracked', ...marks }];
  if (record.startsWith('u ')) return [{ path: pathAfter(10), kind: 'conflicted', ...marks }];
  return [];
}

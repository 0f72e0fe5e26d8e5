import type { BytePath } from '../byte-path.js';
import type { Git, GitPlace } from '../git.js';

/** A path whose content, type or mode differs between two commits. */
export interface TreeChange {
  readonly path: BytePath;
  /** Null when the path does not exist. */
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** A rename is a deletion and an addition. */
export async function listTreeChanges(
  git: Git,
  place: GitPlace,
  from: string,
  to: string,
): Promise<TreeChange[]> {
  const command = [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    '--end-of-options',
    from,
    to,
  ];
  const records = await git.records(command, place);
  return Array.from({ length: records.length / 2 }, (_, index) => {
    // `:100644 100755 <id> <id> M`, then the path.
    const [beforeMode = '', afterMode = '', beforeId = '', afterId = ''] = (records[2 * index] ?? '')
      .slice(1)
      .split(' ');
    return {
      path: records[2 * index + 1] ?? '',
      before: entryOf(beforeMode, beforeId),
      after: entryOf(afterMode, afterId),
    };
  });
}

const entryOf = (mode: string, id: string): TreeEntry | null => (mode === '000000' ? null : { mode, id });

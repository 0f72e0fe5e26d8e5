import type { BytePath } from '../byte-path.js';
import type { Git, GitOptions } from '../git.js';

export const GITLINK_MODE = '160000';
export const SYMLINK_MODE = '120000';

export interface IndexEntry {
  readonly path: BytePath;
  readonly mode: string;
  readonly id: string;
  /** 0 when merged; 1 to 3 are the sides of a conflict. */
  readonly stage: number;
  /** assume-unchanged or skip-worktree. */
  readonly assumeUnchanged: boolean;
  readonly skipWorktree: boolean;
}

/** All entries of an index, conflicts included; none when there is no index. */
export async function listIndexEntries(git: Git, options: GitOptions): Promise<IndexEntry[]> {
  const records = await git.records(['ls-files', '--stage', '-v', '-z'], options);
  return records.map(parseIndexEntry);
}

/** `H 100644 <id> 0<TAB>path`; the letter is lower case for assume-unchanged and S for skip-worktree. */
function parseIndexEntry(record: string): IndexEntry {
  const tab = record.indexOf('\t');
  const [tag = '', mode = '', id = '', stage = ''] = record.slice(0, tab).split(' ');
  return {
    path: record.slice(tab + 1),
    mode,
    id,
    stage: Number(stage),
    assumeUnchanged: tag !== tag.toUpperCase(),
    skipWorktree: tag.toUpperCase() === 'S',
  };
}

import type { BytePath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import type { TreeEntry } from '../../git/tree-changes.js';
import type { IncomingRepository } from './incoming-repository.js';
import { createRecordSplitter } from './record-splitter.js';

/** A file or directory of a new commit that is in none of its parents as it is. */
export interface ChangedEntry extends TreeEntry {
  readonly commit: string;
  readonly path: BytePath;
  /** What the parents have at the path; those that have nothing there are left out. */
  readonly before: readonly TreeEntry[];
  readonly isMerge: boolean;
}

export const DIRECTORY = '040000';

/**
 * Tells of every changed entry as git lists it, parents before what is in them. What `onEntry` throws ends git and is
 * thrown again: a handful of trees can stand for more files than there are atoms.
 */
export async function eachChangedEntry(
  git: Git,
  { options }: IncomingRepository,
  commits: readonly string[],
  signal: AbortSignal,
  onEntry: (entry: ChangedEntry) => void,
): Promise<void> {
  const flags = ['-r', '-t', '-c', '--root', '--raw', '-z', '--no-abbrev', '--no-renames'];
  let commit = '';
  let change: string | undefined;
  const splitter = createRecordSplitter(record => {
    if (change !== undefined) {
      const entry = parseChange(commit, change, record);
      change = undefined;
      if (entry) onEntry(entry);
    } else if (record.startsWith(':')) change = record;
    else commit = record;
  });
  await git.run(['diff-tree', '--stdin', ...flags], {
    ...options,
    stdin: `${commits.join('\n')}\n`,
    signal,
    maxOutputBytes: 64 * 1024,
    onOutput: (stream, chunk) => stream === 'stdout' && splitter(chunk),
  });
}

/** `:<mode> <mode> <id> <id> M`, with one more colon, mode and id for every parent more. Undefined when it is gone. */
function parseChange(commit: string, change: string, path: BytePath): ChangedEntry | undefined {
  const parents = change.lastIndexOf(':') + 1;
  const fields = change.slice(parents).split(' ');
  const entries = Array.from({ length: parents + 1 }, (_, at) => ({
    mode: fields[at] ?? '',
    id: fields[parents + 1 + at] ?? '',
  }));
  const now = entries.pop();
  if (!now || now.mode === ABSENT) return undefined;
  return { ...now, commit, path, before: entries.filter(({ mode }) => mode !== ABSENT), isMerge: parents > 1 };
}

const ABSENT = '000000';

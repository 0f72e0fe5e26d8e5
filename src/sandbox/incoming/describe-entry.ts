import { displayPath } from '../../git/byte-path.js';
import type { ChangedEntry } from './changed-entries.js';

/** Enough of an id for people to find the commit by. */
const SHORT = 12;

/** How a problem begins. Quoted, so that no name can pretend to be more than a name. */
export function describeEntry({ path, commit }: Pick<ChangedEntry, 'path' | 'commit'>): string {
  return `${JSON.stringify(displayPath(path))} of commit ${commit.slice(0, SHORT)}`;
}

import { displayPath } from '../../git/byte-path.js';
import type { ChangedEntry } from './walk-changes.js';

/** Enough of an id for people to find the commit by. */
const SHORT = 12;

/** How a problem begins. Quoted, so that no name can pretend to be more than a name. */
export function describeEntry({ path, commit }: Pick<ChangedEntry, 'path' | 'commit'>): string {
  return `${JSON.stringify(shorten(displayPath(path)))} of commit ${commit.slice(0, SHORT)}`;
}

const LONGEST_SHOWN = 200;

const shorten = (path: string): string =>
  path.length <= LONGEST_SHOWN
    ? path
    : `${path.slice(0, LONGEST_SHOWN / 2)}...${path.slice(-LONGEST_SHOWN / 2)}`;

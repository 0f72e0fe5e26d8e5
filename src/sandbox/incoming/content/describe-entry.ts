import { displayPath } from '../../../git/byte-path.js';
import type { ChangedEntry } from './walk-changes.js';

/** Enough of an id to find the commit. */
const SHORT = 12;

/** The subject of a problem. Quoted, so that a name can't pass as other text. */
export function describeEntry({ path, commit }: Pick<ChangedEntry, 'path' | 'commit'>): string {
  return `${JSON.stringify(shorten(displayPath(path)))} of commit ${commit.slice(0, SHORT)}`;
}

const LONGEST_SHOWN = 200;

const shorten = (path: string): string =>
  path.length <= LONGEST_SHOWN
    ? path
    : `${path.slice(0, LONGEST_SHOWN / 2)}...${path.slice(-LONGEST_SHOWN / 2)}`;

import { formatSize } from '../text/format-quantity.js';
import type { OmittedFile } from './snapshot.js';

/** Files beyond this number are only counted. */
const MOST_NAMED = 5;

/** What a snapshot leaves out, the largest first: `node_modules (12 MB), target (3.1 KB)`. */
export function formatOmitted(omitted: readonly OmittedFile[]): string {
  const sorted = omitted.toSorted((a, b) => b.bytes - a.bytes);
  const named = sorted.slice(0, MOST_NAMED).map(({ path, bytes }) => `${path} (${formatSize(bytes)})`);
  const others = omitted.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

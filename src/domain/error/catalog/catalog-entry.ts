import type { ErrorEntry } from '../error.js';

/** Names the type of an entry's details, from which the types of the catalog are inferred. */
export const entry = <Details>(definition: ErrorEntry<Details>): ErrorEntry<Details> => definition;

/** `one, two and 3 more` */
export function formatList(items: readonly string[], most = 5): string {
  if (items.length === 0) return 'none';
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}

/** Ends `there is no task "x"; …`. */
export const formatLatest = (known: readonly string[]): string =>
  known.length === 0 ? 'there are none yet' : `the latest are: ${formatList(known)}`;

import type { ChangingFiles } from './snapshot.js';

/** For people: the files of a snapshot that changed while it was taken. */
export function formatChanging({ at, count, paths }: ChangingFiles): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  return `${files} changed while the snapshot was taken: ${formatPaths(count, paths)}; it holds them as they were at ${at}`;
}

/** The first paths, and how many more there are. */
export const formatPaths = (count: number, paths: readonly string[]): string =>
  [...paths, ...(count > paths.length ? [`and ${count - paths.length} more`] : [])].join(', ');

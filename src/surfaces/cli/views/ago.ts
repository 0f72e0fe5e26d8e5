import { formatDuration } from '../../../domain/text/format-quantity.js';

/** Elapsed time as text: `just now`, `5m ago`, `3d ago`. */
export function formatAgo(at: string, now: number): string {
  const elapsed = now - Date.parse(at);
  return elapsed < 10_000 ? 'just now' : `${formatDuration(elapsed)} ago`;
}

import { formatDuration } from '../../domain/quantity.js';

/** How long ago in words: `just now`, `5m ago`, `3d ago`. */
export function formatAgo(at: string, now: number): string {
  const elapsed = now - Date.parse(at);
  return elapsed < 10_000 ? 'just now' : `${formatDuration(elapsed)} ago`;
}

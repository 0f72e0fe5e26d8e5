import type { Mount } from '../policy.js';

/**
 * Of mounts in order, those that are seen in the end. Engines mount what is higher up first and refuse two at the same
 * place, so one that a later one covers has to be left out instead of being covered.
 */
export function listVisibleMounts(mounts: readonly Mount[]): Mount[] {
  return mounts.filter((mount, at) => !mounts.slice(at + 1).some(later => isAtOrBelow(mount.to, later.to)));
}

const isAtOrBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

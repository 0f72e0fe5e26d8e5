import type { Mount } from '../../policy.js';

/**
 * Which parts of the system's directories have to be hidden because they contain workspaces: with workspaces or
 * Carrel's state below /opt/work, showing /opt would show all of them. For each, the first folder below the system's
 * directory, without duplicates.
 */
export function findNeighbours(mounts: readonly Mount[], directories: readonly string[]): string[] {
  const found = mounts.flatMap(placesOfWork).flatMap(path => coverOf(path, directories));
  return [...new Set(found)];
}

/** Only what the sandbox may write: read-only mounts may also be Carrel's own programs, such as below /usr/lib. */
function placesOfWork(mount: Mount): string[] {
  if (mount.kind === 'overlay') return [mount.lower, mount.upper, mount.to];
  return mount.kind === 'bind' && mount.writable ? [mount.from, mount.to] : [];
}

function coverOf(path: string, directories: readonly string[]): string[] {
  const above = [...directories, ...FULL_OF_PROGRAMS].filter(directory => path.startsWith(`${directory}/`));
  const nearest = above.sort((one, other) => other.length - one.length)[0];
  if (nearest === undefined) return [];
  return [`${nearest}/${path.slice(nearest.length + 1).split('/')[0]}`];
}

/** These are not hidden as a whole. */
const FULL_OF_PROGRAMS = ['/usr/local'];

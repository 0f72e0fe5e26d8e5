import type { Mount } from '../policy.js';

/**
 * What of the system's directories has to be hidden because work is kept there: with workspaces or Carrel's state below
 * /opt/work, showing /opt would show those of all the others. Of each the first folder below the system's directory,
 * without repeats.
 */
export function findNeighbours(mounts: readonly Mount[], directories: readonly string[]): string[] {
  const found = mounts.flatMap(placesOfWork).flatMap(path => coverOf(path, directories));
  return [...new Set(found)];
}

/** Only what the sandbox may write: read-only mounts also are programs of Carrel's own, below /usr/lib or wherever. */
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

/** Not to be hidden as a whole. */
const FULL_OF_PROGRAMS = ['/usr/local'];

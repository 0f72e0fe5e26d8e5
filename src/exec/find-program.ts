import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The program with this name in the first PATH directory that has it, as a real path; undefined when there is none.
 * Only absolute entries count, and no program in or below `untrusted`: agents write these directories, and their files
 * must never run on the host.
 */
export function findProgramIn(
  path: string,
  name: string,
  untrusted: readonly string[] = [],
): string | undefined {
  const avoided = untrusted.map(realPathOf);
  return path
    .split(':')
    .filter(entry => entry.startsWith('/'))
    .map(entry => findExecutable(join(entry, name)))
    .find(program => program !== undefined && !avoided.some(directory => isBelow(program, directory)));
}

function findExecutable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? realpathSync(path) : undefined;
  } catch {
    // Missing, or no permission: the next entry may have it.
    return undefined;
  }
}

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);

/** A missing directory contains nothing. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

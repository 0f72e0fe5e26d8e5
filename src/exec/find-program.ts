import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/**
 * The program of this name in the first directory of a PATH that has it, as a real path; undefined when none has. Only
 * absolute entries count, and a program that lies in or below one of `untrusted` does not: those are
 * directories that agents write, and what they put there must never run on the host.
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
    // Not there, or not for us: the next entry may have it.
    return undefined;
  }
}

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);

/** One that is not there holds nothing. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

import { isAbsolute, normalize, relative, resolve } from 'node:path';

/** Relative paths are those of the working directory; absolute ones are left as they are. */
export const resolvePath = (workingDirectory: string, path: string): string =>
  isAbsolute(path) ? normalize(path) : resolve(workingDirectory, path);

/** The path shown to the model: relative to the working directory if it is inside. */
export function shownPath(workingDirectory: string, path: string): string {
  const inside = pathWithin(workingDirectory, path);
  return inside === undefined ? path : inside || '.';
}

/** The way from a directory to something in it, empty for itself; undefined for what lies elsewhere. */
export function pathWithin(directory: string, path: string): string | undefined {
  const way = relative(directory, path);
  return way === '..' || way.startsWith('../') || isAbsolute(way) ? undefined : way;
}

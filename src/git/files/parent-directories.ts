import type { BytePath } from '../byte-path.js';

/** Every directory on the way to one of the paths. */
export function parentDirectories(paths: Iterable<BytePath>): Set<BytePath> {
  const directories = new Set<BytePath>();
  for (const path of paths) {
    let end = path.lastIndexOf('/');
    while (end > 0 && !directories.has(path.slice(0, end))) {
      directories.add(path.slice(0, end));
      end = path.lastIndexOf('/', end - 1);
    }
  }
  return directories;
}

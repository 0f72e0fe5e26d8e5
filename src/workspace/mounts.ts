import { readMountTable } from '../exec/mount-table.js';

/**
 * Where something is mounted at or below a directory, a real path: its files are not the directory's own, and deleting
 * them there deletes them where they come from. Told by Linux's /proc; nothing is found on other systems.
 */
export function listMounts(directory: string): string[] {
  return readMountTable()
    .map(entry => entry.target)
    .filter(place => place === directory || place.startsWith(`${directory}/`));
}

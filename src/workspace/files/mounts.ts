import { readMountTable } from '../../exec/filesystem/mount-table.js';

/**
 * Mount points at or below a directory (a real path). Deleting files there would delete them at the source of the mount.
 */
export function listMounts(directory: string): string[] {
  return readMountTable()
    .map(entry => entry.target)
    .filter(place => place === directory || place.startsWith(`${directory}/`));
}

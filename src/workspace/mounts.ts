import { readFileSync } from 'node:fs';
import { errnoOf } from '../domain/error.js';

/**
 * Where something is mounted at or below a directory, a real path: its files are not the directory's own, and deleting
 * them there deletes them where they come from. Told by Linux's /proc; nothing is found on other systems.
 */
export function listMounts(directory: string): string[] {
  return readMountTable()
    .split('\n')
    .map(line => decode(line.split(' ')[4] ?? ''))
    .filter(place => place === directory || place.startsWith(`${directory}/`));
}

function readMountTable(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Spaces, tabs, line breaks and backslashes stand there as `\040` and so on. */
const decode = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { tempDir } from '../temp.js';

/** A PATH with every program of this machine but these. */
export function pathWithout(...names: string[]): string {
  const directory = join(tempDir(), 'bin');
  linkPrograms(directory, process.env.PATH ?? '', names);
  return directory;
}

/** Makes a directory with links to every program that is found in `path` but these; broken links on the way count too. */
export function linkPrograms(directory: string, path: string, without: readonly string[]): void {
  mkdirSync(directory);
  const seen = new Set(without);
  for (const entry of path.split(delimiter)) {
    for (const name of listPrograms(entry)) {
      if (seen.has(name)) continue;
      seen.add(name);
      symlinkSync(join(entry, name), join(directory, name));
    }
  }
}

function listPrograms(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

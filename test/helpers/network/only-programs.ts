import { accessSync, constants, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempDir } from '../temp.js';
import type { InsideOptions } from './closed-network.js';

/** A sandbox in which PATH leads to these programs and to no others; undefined when this machine lacks one. */
export function onlyPrograms(
  names: readonly string[],
): Required<Pick<InsideOptions, 'environment' | 'seen'>> | undefined {
  const bin = join(tempDir(), 'bin');
  mkdirSync(bin);
  const seen = [bin];
  for (const name of names) {
    const program = name === 'node' ? process.execPath : findProgram(name);
    if (program === undefined) return undefined;
    symlinkSync(program, join(bin, name));
    if (!program.startsWith('/usr/')) seen.push(dirname(program));
  }
  return { environment: { PATH: bin }, seen };
}

/** Those of the system before those that a person has put before them, which need that person's home. */
function findProgram(name: string): string | undefined {
  const directories = ['/usr/bin', '/bin', ...(process.env.PATH ?? '').split(':')];
  const path = directories.map(directory => join(directory, name)).find(isExecutable);
  return path && realpathSync(path);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

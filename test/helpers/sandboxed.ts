import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'vitest';
import { requirePart } from './required-part.js';
import { tempDir } from './temp.js';

/** For tests that need a real bubblewrap; skipped loudly elsewhere. */
export function requireBubblewrap(context: TestContext): void {
  const { status } = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']);
  requirePart(context, status === 0, 'bubblewrap');
}

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

import { lstatSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { SlotRecord } from '../../domain/workspace/slot.js';
import { type BytePath, displayPath, toFsPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';
import { listIgnored } from './list-ignored.js';

/**
 * Directories in or at these paths that tools make again, such as node_modules, and that git ignores. No snapshot holds
 * them, so releasing a slot reports which of them are gone. For human readers; paths as they are in the slot.
 */
export async function listToolDirectories(
  git: Git,
  slot: SlotRecord,
  root: string,
  paths: readonly BytePath[],
  regenerable: readonly string[],
): Promise<string[]> {
  const names = new Set(regenerable);
  const found = paths.flatMap(path => findBelow(root, path, names)).slice(0, MOST_NAMED);
  return (await listIgnored(git, slot, found)).map(displayPath);
}

/** Enough to know what is missing; a longer list is not useful. */
const MOST_NAMED = 100;

function findBelow(root: string, start: BytePath, names: ReadonlySet<string>): BytePath[] {
  const found: BytePath[] = [];
  const pending = [start];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const place = path === '' ? root : toFsPath(root, path);
    if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) continue;
    if (names.has(basename(path))) found.push(path);
    else
      for (const name of list(place))
        if (name !== '.git') pending.push(path === '' ? name : `${path}/${name}`);
  }
  return found.sort();
}

/** What can't be read is not named. */
function list(place: string | Buffer): BytePath[] {
  try {
    return readdirSync(place, { encoding: 'latin1' });
  } catch {
    return [];
  }
}

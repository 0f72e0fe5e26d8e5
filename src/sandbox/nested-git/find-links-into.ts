import { readlinkSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type BytePath, toBytePath, toFsPath } from '../../git/byte-path.js';

export interface LinksInto {
  readonly paths: readonly BytePath[];
  /** False when there was not enough time to check all of them. */
  readonly isComplete: boolean;
}

/** Links between yields. */
const LINKS_PER_TURN = 256;

/** Those of the links that lead to a directory outside of the workspace or to what is in it, even through other links. */
export async function findLinksInto(
  root: string,
  links: readonly BytePath[],
  directory: string,
  deadline: number,
): Promise<LinksInto> {
  // If none leaves the workspace directly, none leaves it through another.
  if (!links.some(path => leaves(root, path))) return { paths: [], isComplete: true };
  const place = resolveLink(Buffer.from(directory));
  const paths: BytePath[] = [];
  for (const [at, path] of links.entries()) {
    if (performance.now() > deadline) return { paths, isComplete: false };
    const target = resolveLink(toFsPath(root, path));
    if (place !== undefined && target !== undefined && isWithin(target, place)) paths.push(path);
    if (at % LINKS_PER_TURN === 0) await setImmediate();
  }
  return { paths, isComplete: true };
}

/** By its text alone: an absolute one, or one with more `..` than its depth. */
function leaves(root: string, path: BytePath): boolean {
  const target = attempt(() => readlinkSync(toFsPath(root, path), 'latin1'));
  if (target === undefined) return false;
  if (target.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Undefined for a dangling link. */
const resolveLink = (path: Buffer): BytePath | undefined =>
  attempt(() => realpathSync.native(path, 'latin1'));

const isWithin = (path: BytePath, directory: BytePath): boolean =>
  path === directory || path.startsWith(`${directory}${toBytePath(sep)}`);

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

import { basename, dirname } from 'node:path';
import type { Context } from '../operations/context.js';
import { keptFilesDirectory } from '../operations/kept-files.js';
import { removeTree } from '../workspace/remove-tree.js';

/**
 * Whether a path is one that `--keep-failed` makes. Such paths come from the records of a run, which somebody else may
 * have written: nothing else is removed on their word.
 */
export const isKeptFiles = ({ places }: Pick<Context, 'places'>, path: string): boolean =>
  dirname(path) === keptFilesDirectory(places) && basename(path) !== '..';

export async function removeKept(context: Pick<Context, 'places'>, path: string): Promise<void> {
  if (isKeptFiles(context, path)) await removeTree(path);
}

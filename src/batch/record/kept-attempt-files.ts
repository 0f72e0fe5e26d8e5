import { basename, dirname } from 'node:path';
import { keptFilesDirectory } from '../../operations/cleanup/expire-kept-files.js';
import type { Context } from '../../operations/context.js';
import { removeTree } from '../../workspace/files/remove-tree.js';

/**
 * Whether a path is one that `--keep-failed` makes. Such paths come from the records of a run, which may be from another
 * user: nothing else is removed based on them.
 */
export const isKeptFiles = ({ places }: Pick<Context, 'places'>, path: string): boolean =>
  dirname(path) === keptFilesDirectory(places) && basename(path) !== '..';

export async function removeKept(context: Pick<Context, 'places'>, path: string): Promise<void> {
  if (isKeptFiles(context, path)) await removeTree(path);
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFullPlace } from '../git/disk-full.js';
import { removeTree } from '../workspace/remove-tree.js';
import type { TaskEnvironment } from './isolation-provider.js';

/**
 * Deletes the files of a workspace that is about to be taken back when their disk is full: taking it back puts them
 * aside first, for which there is no room then. What the attempt did is in its patch.
 */
export async function makeRoom(environment: TaskEnvironment, files: string): Promise<void> {
  if ((await findFullPlace([files])) === undefined) return;
  await environment.endAll();
  for (const name of await readdir(files)) if (name !== '.git') await removeTree(join(files, name));
}

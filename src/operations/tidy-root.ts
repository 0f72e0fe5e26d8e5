import { rmdir } from 'node:fs/promises';
import type { Context } from './context.js';
import { rootOf } from './require-room.js';

/** Carrel's own folder of workspaces goes with the last of them; one that the user chose is theirs and stays. */
export async function tidyRoot(context: Context): Promise<void> {
  // Most often it is not empty, and nothing depends on it.
  await rmdir(rootOf(context, { root: null })).catch(() => undefined);
}

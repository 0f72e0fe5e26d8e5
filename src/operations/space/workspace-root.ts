import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Places } from '../context.js';
import type { Settings } from '../settings/workspace-settings.js';

/** The root directory of this user's workspaces. */
export const workspaceRootOf = (
  context: { readonly places: Places },
  settings: Pick<Settings, 'root'>,
): string => settings.root ?? join(context.places.cacheDir, 'worktrees');

/** Removes Carrel's own folder of workspaces with the last of them; one that the user chose is theirs and stays. */
export async function removeEmptyRoot(context: { readonly places: Places }): Promise<void> {
  // Usually it is not empty, and nothing depends on it.
  await rmdir(workspaceRootOf(context, { root: null })).catch(() => undefined);
}

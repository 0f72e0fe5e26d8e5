import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../store/store.js';
import type { Repository } from '../../workspace/backend.js';
import { chooseFolder } from '../../workspace/location/choose-folder.js';
import type { Places } from '../context.js';
import type { Settings } from '../settings/workspace-settings.js';

/** The root directory of this user's workspaces. */
export const workspaceRootOf = (
  context: { readonly places: Places },
  settings: Pick<Settings, 'root'>,
): string => settings.root ?? join(context.places.cacheDir, 'worktrees');

/** A path for the files of a new workspace that no workspace has and no task has reserved. Nothing is created. */
export async function chooseWorkspacePath(
  context: { readonly places: Places; readonly store: Pick<Store, 'workspaces'> },
  {
    settings,
    repository,
    name,
  }: {
    readonly settings: Pick<Settings, 'root'>;
    readonly repository: Pick<Repository, 'name'>;
    readonly name: string;
  },
): Promise<string> {
  const taken = new Set((await context.store.workspaces.takenPaths()).map(path => path.toLowerCase()));
  return chooseFolder({
    root: workspaceRootOf(context, settings),
    project: repository.name,
    name,
    isTaken: path => taken.has(path.toLowerCase()),
  });
}

/** Removes Carrel's own folder of workspaces with the last of them; one that the user chose is theirs and stays. */
export async function removeEmptyRoot(context: { readonly places: Places }): Promise<void> {
  // Usually it is not empty, and nothing depends on it.
  await rmdir(workspaceRootOf(context, { root: null })).catch(() => undefined);
}

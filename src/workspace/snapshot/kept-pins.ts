import type { Git } from '../../git/git.js';
import { listRefs, readRef, updateRefs } from '../../git/refs/refs.js';

/** A commit that the workspace's branch has been on and that nothing else may hold; snapshots of the workspace do. */
export const keptPin = (workspaceId: string, commit: string): string => `${folderOf(workspaceId)}/${commit}`;

/** Deleted with the workspace's other pins. */
const folderOf = (workspaceId: string): string => `refs/carrel/workspaces/${workspaceId}/kept`;

export async function keepCommit(
  git: Git,
  gitDir: string,
  workspaceId: string,
  commit: string,
): Promise<void> {
  const ref = keptPin(workspaceId, commit);
  if (await readRef(git, { gitDir }, ref)) return;
  await updateRefs(git, { gitDir }, [{ ref, from: null, to: commit }]);
}

export async function listKeptCommits(git: Git, gitDir: string, workspaceId: string): Promise<string[]> {
  return (await listRefs(git, { gitDir }, [folderOf(workspaceId)])).map(({ commit }) => commit);
}

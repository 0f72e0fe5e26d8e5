import type { Git } from '../../git/git.js';
import { readRef } from '../../git/refs/refs.js';

/** Pins the last commit that both sides had, so that the host's gc never removes the agent's HEAD. */
export const exchangedRef = (workspaceId: string): string => `refs/carrel/workspaces/${workspaceId}/taken`;

/** Where the workspace's branch is in the repository. */
export interface OutsideBranch {
  /** Null when the branch is gone. */
  readonly tip: string | null;
  /** The last commit that both sides had: the pin, or the base while there is none. */
  readonly exchanged: string;
  /** What the pin holds; null when there is none. */
  readonly pin: string | null;
}

export interface OutsideBranchRequest {
  readonly git: Git;
  readonly commonDir: string;
  readonly workspaceId: string;
  /** Short name. */
  readonly branch: string;
  /** The commit that the workspace was made from. */
  readonly base: string;
}

export async function readOutsideBranch(request: OutsideBranchRequest): Promise<OutsideBranch> {
  const [tip, pin] = await Promise.all([
    findRef(request, `refs/heads/${request.branch}`),
    findRef(request, exchangedRef(request.workspaceId)),
  ]);
  return { tip, exchanged: pin ?? request.base, pin };
}

async function findRef({ git, commonDir }: OutsideBranchRequest, ref: string): Promise<string | null> {
  return (await readRef(git, { gitDir: commonDir }, ref)) ?? null;
}

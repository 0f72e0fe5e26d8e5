import type { Git } from '../git/git.js';
import { readPlainRefs } from '../git/plain-refs.js';
import { readRef } from '../git/refs.js';

/** Holds the commit that both faces of git stood at last, so that the host's gc never removes what the agent stands on. */
export const takenRef = (workspaceId: string): string => `refs/carrel/workspaces/${workspaceId}/taken`;

/** Where the branch of a workspace stands in the repository. */
export interface OutsideStand {
  /** Null when the branch is not there any more. */
  readonly tip: string | null;
  /** What both faces stood at last: the pin, or the base as long as there is none. */
  readonly taken: string;
  /** What the pin holds; null when there is none. */
  readonly pin: string | null;
}

export interface StandRequest {
  readonly git: Git;
  readonly commonDir: string;
  readonly workspaceId: string;
  /** Short name. */
  readonly branch: string;
  /** The commit that the workspace was made from. */
  readonly base: string;
}

export async function readOutsideStand(request: StandRequest): Promise<OutsideStand> {
  const [tip, pin] = await Promise.all([
    findRef(request, `refs/heads/${request.branch}`),
    findRef(request, takenRef(request.workspaceId)),
  ]);
  return { tip, taken: pin ?? request.base, pin };
}

/** The files first: most of the time they say it, and a process costs milliseconds with every command. */
async function findRef({ git, commonDir }: StandRequest, ref: string): Promise<string | null> {
  const plain = await readPlainRefs(commonDir);
  const found = await plain?.find(ref);
  if (found !== undefined || (await plain?.isFree(ref))) return found ?? null;
  return (await readRef(git, { gitDir: commonDir }, ref)) ?? null;
}

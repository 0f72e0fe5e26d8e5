import type { CarrelClient } from '../client/carrel-client.js';
import { ProblemError } from '../client/problem-error.js';
import { carrelError } from '../domain/error.js';
import type { RemovalResult } from '../domain/result.js';
import type { AcceptedRisks } from '../domain/risk.js';
import type { WorkspaceDetails } from '../domain/workspace.js';

/**
 * Removes a worktree of a server. The server itself knows ids, of workspaces and of workflows; a name, or the beginning
 * of an id, is looked up first, and stands for one worktree or for none; in a repository that is named, a name never
 * means another's.
 */
export async function removeRemoteWorktree(
  client: CarrelClient,
  name: string,
  { repository, accepted }: RemoteRemoval,
): Promise<RemovalResult> {
  try {
    return await client.developer.removeWorktree(name, accepted);
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'WORKSPACE_NOT_FOUND')) throw error;
    const found = findNamed(await client.workspaces.list({ repository, fast: true }), name);
    if (!found) throw error;
    return client.developer.removeWorktree(found.id, accepted);
  }
}

export interface RemoteRemoval {
  /** Where names are looked up; in all that the server knows when left out. */
  readonly repository: string | undefined;
  readonly accepted: AcceptedRisks;
}

/** Fewer characters of an id are taken for a mistyped name. */
const SHORTEST_PREFIX = 'ws_'.length + 4;

function findNamed(all: readonly WorkspaceDetails[], name: string): WorkspaceDetails | undefined {
  const matches = all.filter(
    each => each.name === name || (name.length >= SHORTEST_PREFIX && each.id.startsWith(name)),
  );
  if (matches.length < 2) return matches[0];
  throw carrelError('WORKSPACE_AMBIGUOUS', {
    name,
    matches: matches.map(each => `${each.name} (${each.id})`),
  });
}

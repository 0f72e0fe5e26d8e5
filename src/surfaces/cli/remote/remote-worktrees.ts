import { carrelError } from '../../../domain/error/error.js';
import type { RemovalResult } from '../../../domain/report/result.js';
import type { AcceptedRisks } from '../../../domain/workspace/risk.js';
import type { WorkspaceDetails } from '../../../domain/workspace/workspace.js';
import type { CarrelClient } from '../../client/carrel-client.js';
import { ProblemError } from '../../client/problem-error.js';

/**
 * Removes a worktree of a server. The server takes ids of workspaces and workflows; a name or the beginning of an id is
 * looked up first and must match exactly one worktree. With a repository, a name never matches a worktree of another
 * one.
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
  /** The repository in which names are looked up; all when omitted. */
  readonly repository: string | undefined;
  readonly accepted: AcceptedRisks;
}

/** A shorter beginning of an id counts as a mistyped name. */
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

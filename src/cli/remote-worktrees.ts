import type { CarrelClient } from '../client/carrel-client.js';
import { ProblemError } from '../client/problem-error.js';
import { carrelError } from '../domain/error.js';
import type { RemovalResult } from '../domain/result.js';
import type { AcceptedRisks } from '../domain/risk.js';
import type { WorkspaceDetails } from '../domain/workspace.js';

/**
 * Removes a worktree of a server. The server itself knows ids, of workspaces and of workflows; a name, or the beginning
 * of an id, is looked up first, and stands for one worktree or for none.
 */
export async function removeRemoteWorktree(
  client: CarrelClient,
  name: string,
  accepted: AcceptedRisks,
): Promise<RemovalResult> {
  try {
    return await client.developer.removeWorktree(name, accepted);
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'WORKSPACE_NOT_FOUND')) throw error;
    const found = findNamed(await client.workspaces.list({ fast: true }), name);
    if (!found) throw error;
    return client.developer.removeWorktree(found.id, accepted);
  }
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

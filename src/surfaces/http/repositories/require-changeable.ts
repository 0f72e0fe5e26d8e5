import { isCarrelError } from '../../../domain/error/error.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { listParts } from '../../../operations/group/group-records.js';
import type { ServerContext } from '../server-context.js';
import { requireAllowedRoot } from './open-repository.js';

/**
 * Refuses changes in a repository that requests may not name. A request can read everything that Carrel on this machine
 * knows by its id, including work of the command line, but not change it. REPOSITORY_NOT_ALLOWED.
 */
export async function requireChangeable(
  server: ServerContext,
  { repository }: { readonly repository: string },
): Promise<void> {
  try {
    await requireAllowedRoot(server, repository);
  } catch (error) {
    // It is under the roots and is gone or a plain directory: the operation reports what is possible.
    if (!isCarrelError(error, 'NOT_A_REPOSITORY')) throw error;
  }
}

/** A workspace with several repositories is changed in all of them. */
export async function requireChangeableParts(server: ServerContext, record: WorkspaceRecord): Promise<void> {
  for (const part of await listParts(server.app, record)) await requireChangeable(server, part);
}

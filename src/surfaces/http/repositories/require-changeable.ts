import { isCarrelError } from '../../../domain/error/error.js';
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

import { isCarrelError } from '../../domain/error.js';
import type { ServerContext } from '../server-context.js';
import { requireAllowedRoot } from './open-repository.js';

/**
 * Refuses to change what belongs to a repository that no request may name. By its id everything that the Carrel of this
 * machine knows can be looked at, also what was begun on the command line; who looks at it may not change it for that.
 * REPOSITORY_NOT_ALLOWED.
 */
export async function requireChangeable(
  server: ServerContext,
  { repository }: { readonly repository: string },
): Promise<void> {
  try {
    await requireAllowedRoot(server, repository);
  } catch (error) {
    // It would be under the roots, and is gone or a plain directory: what can be done with that, whoever does it tells.
    if (!isCarrelError(error, 'NOT_A_REPOSITORY')) throw error;
  }
}

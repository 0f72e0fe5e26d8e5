import type { Context } from '../operations/context.js';
import { locateRepository } from '../operations/locate-repository.js';
import type { Call } from './desk.js';

/**
 * The repository, and a directory in it for operations: its own checkout. The agent may be in a worktree, of Carrel's or
 * its own making, from which no workspace can be made.
 */
export async function locateDesk(
  context: Context,
  directory: string,
): Promise<Pick<Call, 'repository' | 'directory'>> {
  const repository = await locateRepository(context, directory);
  return { repository, directory: repository.root };
}

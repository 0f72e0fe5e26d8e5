import { realpath } from 'node:fs/promises';
import { carrelError, isMissing } from '../../../domain/error/error.js';
import type { ServerContext } from '../server-context.js';
import { clonesDirectory } from './clones-directory.js';

/**
 * The real path of something under the roots. Does not reveal anything about paths outside of them, not even whether they
 * exist. REPOSITORY_NOT_ALLOWED, NOT_A_REPOSITORY.
 */
export async function requireAllowedDirectory(
  server: ServerContext,
  path: string,
  sent = path,
): Promise<string> {
  const roots = listRoots(server);
  const realRoots = await Promise.all(roots.map(findRealPath));
  const isInside = (place: string) => [...roots, ...realRoots].some(root => isBelow(place, root));
  const real = await findRealPath(path);
  if (real !== undefined && realRoots.some(root => isBelow(real, root))) return real;
  if (real === undefined && isInside(path)) throw carrelError('NOT_A_REPOSITORY', { path: sent });
  const reason = 'it is outside the directories that the server may use';
  throw carrelError('REPOSITORY_NOT_ALLOWED', { repository: sent, reason });
}

function listRoots({ app, settings }: ServerContext): string[] {
  const own = settings.repository === null ? [] : [settings.repository];
  return [...settings.allowedRoots, ...own, clonesDirectory(app.places)];
}

const isBelow = (place: string, root: string | undefined): boolean =>
  root !== undefined && `${place}/`.startsWith(root.endsWith('/') ? root : `${root}/`);

async function findRealPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

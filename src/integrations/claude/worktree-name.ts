import { createHash } from 'node:crypto';
import { isCarrelError } from '../../domain/error/error.js';
import { requireName } from '../../domain/name.js';

/**
 * The name of the workspace for a worktree that a session requests: the same name when it is valid, because that is what
 * people will look for. Otherwise a digest is added, so that sessions with different names never share a workspace.
 */
export function toWorkspaceName(asked: string): string {
  try {
    return requireName(asked);
  } catch (error) {
    if (!isCarrelError(error, 'INVALID_NAME')) throw error;
    return requireName(markName(asked));
  }
}

const MOST_READABLE = 60;

function markName(asked: string): string {
  const mark = createHash('sha256').update(asked).digest('hex').slice(0, 8);
  const readable = asked
    .match(/[A-Za-z0-9]+/g)
    ?.join('-')
    .slice(0, MOST_READABLE);
  return readable === undefined ? `worktree-${mark}` : `${readable.replace(/-$/, '')}-${mark}`;
}

import { createHash } from 'node:crypto';
import { isCarrelError } from '../../domain/error.js';
import { requireName } from '../../domain/name.js';

/**
 * The name of the workspace for a worktree that a session asks for: the same one, when it can be a name, because it is what
 * people will look for. Otherwise it gets a mark of the whole, so that no two sessions share a workspace whose names differ.
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

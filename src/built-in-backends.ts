import { join } from 'node:path';
import type { Git } from './git/git.js';
import type { Locator } from './git/repository/repository-locator.js';
import { keptDirIn } from './git/snapshot/kept-store.js';
import type { Jj } from './jj/jj.js';
import { sandboxPlace } from './sandbox/sandbox-place.js';
import type { BuiltInBackends } from './workspace/backend-registry.js';
import { createDirectBackend } from './workspace/direct/backend.js';
import { createDirectoryBackend } from './workspace/directory/backend.js';
import { createGitBackend } from './workspace/git/backend.js';
import { besideJj } from './workspace/git-beside-jj.js';
import { createJjBackend } from './workspace/jj/backend.js';
import { createOverlayBackend } from './workspace/overlay/backend.js';
import { createOverlayProbe } from './workspace/template/overlay-obstacle.js';

export interface BuiltInOptions {
  readonly git: Git;
  readonly jj: Jj;
  readonly locate: Locator['locate'];
  readonly stateDir: string;
  readonly temporaryRoot: string;
}

/** The backends that Carrel has itself. */
export function createBuiltInBackends(options: BuiltInOptions): BuiltInBackends {
  const { git, jj, locate, stateDir, temporaryRoot } = options;
  const keptDir = keptDirIn(stateDir);
  const ownDirOf = (id: string) => sandboxPlace(stateDir, id).root;
  const worktrees = besideJj(createGitBackend({ git, temporaryRoot, keptDir, locate }), jj);
  return {
    git: worktrees,
    overlay: createOverlayBackend({ git, worktrees, findObstacle: createOverlayProbe() }),
    jj: createJjBackend({ git, jj, temporaryRoot, keptDir, ownDirOf }),
    direct: createDirectBackend({ git, temporaryRoot, keptDir }),
    directory: createDirectoryBackend({ git, temporaryRoot, vaultDir: join(stateDir, 'vault.git') }),
  };
}

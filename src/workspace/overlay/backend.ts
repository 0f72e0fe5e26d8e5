import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../../git/git.js';
import type { Backend, Diffing, Landing, Snapshotting } from '../backend.js';
import type { FindOverlayObstacle } from '../template/overlay-obstacle.js';
import { createOverlay, undoCreateOverlay } from './create.js';
import { inspectOverlayFully, inspectOverlays } from './inspect.js';
import { ensureMounted } from './mount.js';
import { createOverlayRemoval } from './removal.js';
import { createOverlayReturning } from './return.js';

export interface OverlayBackendOptions {
  readonly git: Git;
  /** The backend of ordinary worktrees, which overlays share everything with except files. */
  readonly worktrees: Backend;
  readonly findObstacle: FindOverlayObstacle;
}

/**
 * Workspaces as linked worktrees whose unchanged files are shared: an overlay over the template tree of the base, mounted
 * at the workspace's path. Calls that need the files mount them first, because a mount does not survive a reboot.
 */
export function createOverlayBackend(options: OverlayBackendOptions): Backend {
  const { git, worktrees } = options;
  return {
    name: 'overlay',
    ownsFiles: true,
    mountsFiles: true,
    findObstacle: ({ commonDir }, root) => findObstacle(options, commonDir, root),
    locate: worktrees.locate,
    resolve: worktrees.resolve,
    create: (record, hooks) => createOverlay(git, worktrees, record, hooks),
    undoCreate: record => undoCreateOverlay(worktrees, record),
    inspect: (records, inspection) => inspectOverlays(git, worktrees, records, inspection),
    findRisks: async (record, limits, risks) => {
      await ensureMounted(git, record);
      return worktrees.findRisks(record, limits, risks);
    },
    inspectFully: (record, limits) => inspectOverlayFully(git, worktrees, record, limits),
    relink: async (record, former) => {
      await ensureMounted(git, record);
      await worktrees.relink?.(record, former);
    },
    workTree: worktrees.workTree,
    removal: createOverlayRemoval(git, worktrees),
    diffing: worktrees.diffing && mountBeforeDiff(git, worktrees.diffing),
    snapshots: worktrees.snapshots && mountBeforeCapture(git, worktrees.snapshots),
    returning: worktrees.returning && createOverlayReturning(worktrees.returning),
    landing: worktrees.landing && mountBeforeLanding(git, worktrees.landing),
  };
}

async function findObstacle(
  options: OverlayBackendOptions,
  commonDir: string | null,
  root: string,
): Promise<string | null> {
  if (commonDir === null) return 'only git repositories have template trees';
  if (existsSync(join(commonDir, 'info', 'sparse-checkout')))
    return 'the repository has a sparse checkout, and a template tree has all files';
  return options.findObstacle(root);
}

const mountBeforeDiff = (git: Git, diffing: Diffing): Diffing => ({
  diff: async (record, format, write, below) => {
    await ensureMounted(git, record);
    return diffing.diff(record, format, write, below);
  },
});

const mountBeforeCapture = (git: Git, snapshots: Snapshotting): Snapshotting => ({
  ...snapshots,
  capture: async (record, request) => {
    await ensureMounted(git, record);
    return snapshots.capture(record, request);
  },
});

const mountBeforeLanding = (git: Git, landing: Landing): Landing => ({
  ...landing,
  prepare: async (record, request) => {
    await ensureMounted(git, record);
    return landing.prepare(record, request);
  },
  commitAll: async (record, message) => {
    await ensureMounted(git, record);
    return landing.commitAll(record, message);
  },
});

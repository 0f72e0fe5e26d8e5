import type { Git } from '../../git/git.js';
import { relinkWorktree } from '../../git/repository/linked-worktree.js';
import { locateGitRepository } from '../../git/repository/locate-git-repository.js';
import type { Locator } from '../../git/repository/repository-locator.js';
import type { Backend } from '../backend.js';
import { createCleanRemoval } from './clean-removal.js';
import { createWorktree, undoCreateWorktree } from './create.js';
import { createGitDiffing } from './diffing.js';
import { inspectWorktreeFully } from './full-inspection.js';
import { inspectWorktrees } from './inspect.js';
import { createLanding } from './landing/land.js';
import { createGitRemoval } from './removal.js';
import { resolveRequest } from './resolve.js';
import { createGitReturning } from './return.js';
import { findWorktreeRisks } from './risks.js';
import { createGitSnapshots } from './snapshots.js';
import { worktreeGitDir, worktreeOf } from './worktree-place.js';

export interface GitBackendOptions {
  readonly git: Git;
  readonly temporaryRoot: string;
  /** Where to store the part of snapshots that git must never push (see git/snapshot/kept-store.ts). */
  readonly keptDir: string;
  /** As locateGitRepository; for callers that started locating earlier (see git/repository/repository-locator.ts). */
  readonly locate?: Locator['locate'];
}

/** Workspaces as linked worktrees of the user's repository, each on its own branch. */
export function createGitBackend({ git, temporaryRoot, keptDir, locate }: GitBackendOptions): Backend {
  return {
    name: 'git',
    ownsFiles: true,
    locate: locate ?? (path => locateGitRepository(git, path)),
    resolve: (repository, request) => resolveRequest(git, repository, request),
    create: (record, hooks) => createWorktree({ git, temporaryRoot, keptDir }, record, hooks),
    undoCreate: record => undoCreateWorktree(git, record),
    inspect: (records, options) => inspectWorktrees(git, temporaryRoot, records, options),
    findRisks: (record, limits, risks) => findWorktreeRisks(git, temporaryRoot, record, limits, risks),
    inspectFully: (record, limits, options) =>
      inspectWorktreeFully({ git, temporaryRoot }, record, limits, options),
    relink: (record, former) => relinkWorktree(worktreeOf(record), former.commonDir),
    workTree: worktreeGitDir,
    removal: createGitRemoval(git, temporaryRoot),
    cleanRemoval: createCleanRemoval(git, keptDir),
    diffing: createGitDiffing(git, temporaryRoot),
    snapshots: createGitSnapshots({ git, temporaryRoot, keptDir }),
    returning: createGitReturning({ git, temporaryRoot, keptDir }),
    landing: createLanding({ git, temporaryRoot }),
  };
}

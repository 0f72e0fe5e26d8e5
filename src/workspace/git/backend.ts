import type { Git } from '../../git/git.js';
import { locateGitRepository } from '../../git/locate.js';
import type { Locator } from '../../git/locate-ahead.js';
import type { Backend } from '../backend.js';
import { createCleanRemoval } from './clean-removal.js';
import { createWorktree, undoCreateWorktree } from './create.js';
import { createGitDiffing } from './diffing.js';
import { inspectWorktrees } from './inspect.js';
import { createLanding } from './land.js';
import { worktreeGitDir } from './place.js';
import { createGitRemoval } from './removal.js';
import { resolveRequest } from './resolve.js';
import { findWorktreeRisks } from './risks.js';
import { createGitSnapshots } from './snapshots.js';

export interface GitBackendOptions {
  readonly git: Git;
  readonly temporaryRoot: string;
  /** As locateGitRepository; for whoever has begun to look before (see git/locate-ahead.ts). */
  readonly locate?: Locator['locate'];
}

/** Workspaces as linked worktrees of the user's repository, each on a branch of its own. */
export function createGitBackend({ git, temporaryRoot, locate }: GitBackendOptions): Backend {
  return {
    name: 'git',
    ownsFiles: true,
    locate: locate ?? (path => locateGitRepository(git, path)),
    resolve: (repository, request) => resolveRequest(git, repository, request),
    create: (record, hooks) => createWorktree(git, temporaryRoot, record, hooks),
    undoCreate: record => undoCreateWorktree(git, record),
    inspect: (records, options) => inspectWorktrees(git, temporaryRoot, records, options),
    findRisks: (record, limits, risks) => findWorktreeRisks(git, temporaryRoot, record, limits, risks),
    workTree: worktreeGitDir,
    removal: createGitRemoval(git, temporaryRoot),
    cleanRemoval: createCleanRemoval(git, temporaryRoot),
    diffing: createGitDiffing(git, temporaryRoot),
    snapshots: createGitSnapshots(git, temporaryRoot),
    landing: createLanding({ git, temporaryRoot }),
  };
}

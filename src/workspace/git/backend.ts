import type { Git } from '../../git/git.js';
import { locateGitRepository } from '../../git/locate.js';
import type { Backend } from '../backend.js';
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
}

/** Workspaces as linked worktrees of the user's repository, each on a branch of its own. */
export function createGitBackend({ git, temporaryRoot }: GitBackendOptions): Backend {
  return {
    name: 'git',
    ownsFiles: true,
    locate: path => locateGitRepository(git, path),
    resolve: (repository, request) => resolveRequest(git, repository, request),
    create: (record, hooks) => createWorktree(git, temporaryRoot, record, hooks),
    undoCreate: record => undoCreateWorktree(git, record),
    inspect: (records, options) => inspectWorktrees(git, temporaryRoot, records, options),
    findRisks: (record, limits) => findWorktreeRisks(git, temporaryRoot, record, limits),
    workTree: worktreeGitDir,
    removal: createGitRemoval(git, temporaryRoot),
    diffing: createGitDiffing(git, temporaryRoot),
    snapshots: createGitSnapshots(git, temporaryRoot),
    landing: createLanding({ git, temporaryRoot }),
  };
}

import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Git } from '../git.js';
import { listWorktrees, type Worktree } from './locate-git-repository.js';
import { findBranchToReturnTo } from './operation-in-progress.js';

/** The main worktree comes first. */
export interface BranchHolder {
  readonly worktree: Worktree;
  /** Its own git directory. */
  readonly gitDir: string;
  readonly isMain: boolean;
}

/** The worktrees that have a branch checked out, or will have it again after the operation in progress. */
export async function listBranchHolders(git: Git, commonDir: string, ref: string): Promise<BranchHolder[]> {
  const [main, ...linked] = await listWorktrees(git, commonDir);
  const admins = await readAdminDirectories(commonDir);
  const all = [
    ...(main ? [{ worktree: main, gitDir: commonDir, isMain: true }] : []),
    ...linked.map(worktree => ({ worktree, gitDir: admins.get(worktree.path) ?? '', isMain: false })),
  ];
  const isHolder = await Promise.all(
    all.map(async ({ worktree, gitDir }) => {
      if (worktree.bare || gitDir === '') return false;
      return (worktree.branch ?? (await findBranchToReturnTo(gitDir))) === ref;
    }),
  );
  return all.filter((_, index) => isHolder[index]);
}

/** Path of each linked worktree to its admin directory: `gitdir` holds the path of the worktree's `.git` file. */
async function readAdminDirectories(commonDir: string): Promise<Map<string, string>> {
  const root = join(commonDir, 'worktrees');
  const names = await readdir(root).catch(() => []);
  const pairs = await Promise.all(
    names.map(async name => {
      const admin = join(root, name);
      const pointer = await readFile(join(admin, 'gitdir'), 'utf8').catch(() => '');
      return [dirname(resolve(admin, pointer.replace(/\n$/, ''))), admin] as const;
    }),
  );
  return new Map(pairs);
}

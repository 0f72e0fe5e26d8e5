import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Git } from '../git.js';
import { listWorktrees, type Worktree } from './locate-git-repository.js';
import { findBranchToReturnTo } from './operation-in-progress.js';
import { listPlainWorktrees } from './plain-worktrees.js';

/** The main worktree comes first. */
export interface BranchHolder {
  readonly worktree: Pick<Worktree, 'path' | 'branch'>;
  /** Its own git directory. */
  readonly gitDir: string;
  readonly isMain: boolean;
}

/** The worktrees that have a branch checked out, or will have it again after the operation in progress. */
export async function listBranchHolders(git: Git, commonDir: string, ref: string): Promise<BranchHolder[]> {
  const all = listPlainly(commonDir) ?? (await listByGit(git, commonDir));
  const isHolder = await Promise.all(
    all.map(
      async ({ worktree, gitDir }) => (worktree.branch ?? (await findBranchToReturnTo(gitDir))) === ref,
    ),
  );
  return all.filter((_, index) => isHolder[index]);
}

/** Whether another work tree than that with this admin directory has the branch checked out. */
export async function isCheckedOutBeside(
  git: Git,
  commonDir: string,
  ref: string,
  own: string,
): Promise<boolean> {
  const all = listPlainly(commonDir) ?? (await listByGit(git, commonDir));
  return all.some(({ worktree, gitDir }) => worktree.branch === ref && gitDir !== own);
}

function listPlainly(commonDir: string): BranchHolder[] | undefined {
  return listPlainWorktrees(commonDir)?.map(({ path, gitDir, branch }) => ({
    worktree: { path, branch },
    gitDir,
    isMain: gitDir === commonDir,
  }));
}

async function listByGit(git: Git, commonDir: string): Promise<BranchHolder[]> {
  const [main, ...linked] = await listWorktrees(git, commonDir);
  const admins = await readAdminDirectories(commonDir);
  return [
    ...(main && !main.bare ? [{ worktree: main, gitDir: commonDir, isMain: true }] : []),
    ...linked.flatMap(worktree => {
      const gitDir = admins.get(worktree.path);
      return gitDir === undefined || worktree.bare ? [] : [{ worktree, gitDir, isMain: false }];
    }),
  ];
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

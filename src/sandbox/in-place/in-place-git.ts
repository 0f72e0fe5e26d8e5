import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { resolveCommit, updateRefs } from '../../git/refs/refs.js';
import { findCheckout } from '../../git/repository/find-checkout.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';
import { INSIDE } from '../../runtime/policy.js';
import { exchangedRef } from '../exchange/exchanged-ref.js';
import { isInPlace } from '../git-inside.js';
import { hideGitlinks } from '../nested-git/hide-gitlinks.js';
import { createHooksPoint } from '../policy/parent-hooks.js';
import { createPrivateGit } from '../private-git/create-private-git.js';
import { setCommitter } from '../private-git/set-committer.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';
import type { SandboxesOptions } from '../sandboxes.js';
import { listInstructionPaths } from './instruction-paths.js';
import { recordOwnRepositories } from './own-repositories.js';

/**
 * Creates what the sandbox of a directory in place needs. The git directory inside is never the user's: it is a private one
 * that starts at the user's HEAD, with the user's index, on the workspace's branch; with `surgical` it borrows the repository's
 * refs and objects like a linked worktree. Returns warnings. UNSAFE_DIRECTORY
 */
export async function createInPlace(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  await mkdir(emptyDirectory(place), { recursive: true, mode: 0o500 });
  await recordOwnRepositories(record, place);
  const { commonDir, branch, path } = record;
  if (commonDir === null) return [];
  if (branch === null)
    return [
      `${path} is a part of ${record.repository}: there is no git inside the sandbox; for git, name the top of the checkout`,
    ];
  const checkout = await requireCheckout(options, record);
  const { unprotected } = await listInstructionPaths(options, checkout, path);
  if (unprotected.length > 0)
    throw unsafe(
      record,
      `has a git configuration that names ${unprotected.join(', ')}, which does not exist or is a symbolic link`,
    );
  await createGit(options, record, place, checkout);
  await createHooksPoint(record, place);
  await setCommitter({ ...options, ...place, repository: record.repository, commonDir, usesJj: false });
  return [];
}

/** A read-only directory without anything in it, which hides what it covers. */
export const emptyDirectory = ({ root }: Pick<SandboxPlace, 'root'>): string => join(root, 'empty-directory');

const unsafe = ({ path }: WorkspaceRecord, problem: string) =>
  carrelError('UNSAFE_DIRECTORY', { path, problem });

/** The git directories have to be outside of the directory or right in it, where nothing inside can rename them. */
async function requireCheckout({ git }: SandboxesOptions, record: WorkspaceRecord): Promise<WorkTreePlace> {
  const { path } = record;
  const pointer = await lstat(join(path, '.git')).catch(ignoreMissing);
  if (!pointer?.isDirectory() && !pointer?.isFile())
    throw unsafe(record, 'has a .git that is neither a directory nor a file');
  const checkout = await findCheckout(git, path);
  if (checkout?.commonDir !== record.commonDir)
    throw unsafe(record, `no longer belongs to ${record.repository}`);
  for (const directory of [checkout.gitDir, checkout.commonDir])
    if (directory.startsWith(`${path}/`) && dirname(directory) !== path && !isBelowGit(path, directory))
      throw unsafe(record, `has its git directory in one of its directories: ${directory}`);
  return checkout;
}

const isBelowGit = (path: string, directory: string): boolean =>
  directory.startsWith(`${join(path, '.git')}/`);

async function createGit(
  { git }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  { gitDir: adminDir, commonDir }: WorkTreePlace,
): Promise<void> {
  const commit = await resolveCommit(git, { gitDir: adminDir }, 'HEAD');
  if (commit === undefined) throw carrelError('EMPTY_REPOSITORY', { path: record.path });
  const branch = record.branch as string;
  const isSurgical = requireSettings(record).git === 'surgical';
  await createPrivateGit({
    git,
    place,
    commonDir,
    adminDir,
    branch,
    commit,
    finish: async gitDir => {
      // Their git directories are not inside, and git there would fail with every command.
      await hideGitlinks(git, { gitDir, workTree: gitDir, commonDir: gitDir }, commit.length);
      if (isSurgical) await writeFile(join(gitDir, 'commondir'), `${INSIDE.repository}\n`);
    },
  });
  if (!isSurgical) await pinStart({ git }, record, commonDir, commit);
}

/** Where both sides start; an existing pin is that of a call that was killed. */
async function pinStart(
  { git }: Pick<SandboxesOptions, 'git'>,
  { id }: WorkspaceRecord,
  gitDir: string,
  commit: string,
): Promise<void> {
  const change = { ref: exchangedRef(id), from: null, to: commit };
  await updateRefs(git, { gitDir }, [change]).catch(error => {
    if (!isCarrelError(error, 'REF_MOVED')) throw error;
  });
}

/** Refuses what could not be protected. SANDBOX_REFUSED */
export function requireMounts({ runtimes }: SandboxesOptions, record: WorkspaceRecord): void {
  if (!isInPlace(record) || runtimes[record.runtime].capabilities.mounts) return;
  const problem = 'it has no mounts, so it cannot protect the git directory of a directory in place';
  throw carrelError('SANDBOX_REFUSED', { runtime: record.runtime, problem });
}

import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, isCarrelError } from '../domain/error.js';
import type { Jj } from './jj.js';
import { readWorkingCopy } from './working-copy.js';

/** Names of the workspaces that jj knows. */
export async function listWorkspaces(jj: Jj, root: string): Promise<string[]> {
  const text = await jj.text(['workspace', 'list', '--template', 'name ++ "\\n"'], { workspace: root });
  return text.split('\n').filter(Boolean);
}

export interface NewWorkspace {
  readonly name: string;
  /** An empty directory. */
  readonly path: string;
  /** What its working-copy commit stands on. */
  readonly commit: string;
}

export interface NewWorkspaceOptions {
  /** Who makes the working-copy commit (see identity.ts). */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds a workspace without its files. `jj workspace add` can't be told to leave the workspace alone that it is called
 * for: there it records the user's uncommitted edits and takes in what git did. With --ignore-working-copy it does
 * neither, adds the workspace, and then ends with status 1 because it was not allowed to fill it (jj 0.46); so what
 * counts is whether the workspace is there, and `fillWorkspace` does the rest. Without a git worktree in it: that needs
 * git 2.42, and git's and jj's index would come between each other. With all files, whatever part of them the user's own
 * workspace is limited to: a file that is left out could not be told from one that was deleted.
 */
export async function addWorkspace(
  jj: Jj,
  root: string,
  { name, path, commit }: NewWorkspace,
  { env, signal }: NewWorkspaceOptions,
): Promise<void> {
  const flags = ['--no-colocate', '--sparse-patterns=full', `--revision=${commit}`, `--name=${name}`];
  try {
    await jj.run(['workspace', 'add', ...flags, '--', path], { workspace: root, env, signal });
  } catch (error) {
    const isThere = isCarrelError(error, 'JJ_FAILED') && (await listWorkspaces(jj, root)).includes(name);
    if (!isThere || !(await holdsWorkspace(path, name))) throw error;
  }
}

/** Writes the files. A workspace that was not filled is stale to jj; it is on `commit` already, if jj came that far. */
export async function fillWorkspace(
  jj: Jj,
  root: string,
  { name, path, commit }: NewWorkspace,
  options: NewWorkspaceOptions,
): Promise<void> {
  const own = { workspace: path, touchesFiles: true, ...options };
  await jj.run(['workspace', 'update-stale'], own);
  const parents = (await readWorkingCopy(jj, root, name))?.parents ?? [];
  if (parents.length !== 1 || parents[0] !== commit) await jj.run(['new', commit], own);
}

/** jj abandons the working-copy commit with it when that is empty; all other commits stay. Not there is fine. */
export async function forgetWorkspace(jj: Jj, root: string, name: string): Promise<void> {
  await jj.run(['workspace', 'forget', '--', name], { workspace: root });
}

/**
 * Whether the directory is that workspace, as its own files say; jj need not know of it any more. The name is plain text
 * in the file in which jj keeps which operation the files are from.
 */
export async function holdsWorkspace(path: string, name: string): Promise<boolean> {
  // Files of a sandbox may have a named pipe there, and without O_NONBLOCK opening it would not end.
  const flag = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = join(path, '.jj', 'working_copy', 'checkout');
  const state = await readFile(file, { encoding: 'latin1', flag }).catch(ignoreMissing);
  return state?.includes(name) ?? false;
}

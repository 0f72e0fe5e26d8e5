import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, isCarrelError } from '../domain/error/error.js';
import type { Jj } from './jj.js';
import { readWorkingCopy } from './working-copy.js';

/** Names of the workspaces that jj knows. */
async function listWorkspaces(jj: Jj, root: string): Promise<string[]> {
  const text = await jj.text(['workspace', 'list', '--template', 'name ++ "\\n"'], { workspace: root });
  return text.split('\n').filter(Boolean);
}

/** The workspaces that jj knows, with the directories that it recorded; empty where it recorded none. */
export async function listRoots(jj: Jj, root: string): Promise<ReadonlyMap<string, string>> {
  const template = 'name ++ "\\0" ++ self.root() ++ "\\n"';
  const text = await jj
    .text(['workspace', 'list', '--template', template], { workspace: root })
    .catch(async error => {
      // An earlier version of jj records no directories.
      if (!isCarrelError(error, 'JJ_FAILED')) throw error;
      return (await listWorkspaces(jj, root)).join('\n');
    });
  const lines = text.split('\n').filter(Boolean);
  return new Map(lines.map(line => line.split('\0')).map(([name = '', path = '']) => [name, path]));
}

export interface NewWorkspace {
  readonly name: string;
  /** An empty directory. */
  readonly path: string;
  /** The parent of its working-copy commit. */
  readonly commit: string;
}

export interface NewWorkspaceOptions {
  /** The author of the working-copy commit (see jj-identity.ts). */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Adds a workspace without its files. `jj workspace add` has no option to leave the calling workspace alone: there it
 * records the user's uncommitted edits and imports git's changes. With --ignore-working-copy it does neither, adds the
 * workspace, and then exits with status 1 because it was not allowed to fill it (jj 0.46); so the test is whether the
 * workspace exists, and `fillWorkspace` does the rest. Without a git worktree in it: that needs git 2.42, and the indexes
 * of git and jj would conflict. With all files, even if the user's own workspace is sparse: a file that is left out would
 * look like a deleted one.
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

/** Writes the files. An unfilled workspace is stale to jj; it is already at `commit` if jj got that far. */
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

/** jj also abandons an empty working-copy commit; all other commits stay. A missing workspace is fine. */
export async function forgetWorkspace(jj: Jj, root: string, name: string): Promise<void> {
  await jj.run(['workspace', 'forget', '--', name], { workspace: root });
}

/** Whether the directory is that workspace according to its own files; jj may no longer know it. */
export const holdsWorkspace = async (path: string, name: string): Promise<boolean> =>
  (await readHeldWorkspace(path)) === name;

/** The name of the workspace in a directory, which is in the file where jj records the operation of the files. */
export async function readHeldWorkspace(path: string): Promise<string | undefined> {
  // A sandbox may have put a named pipe there, and without O_NONBLOCK opening it would block.
  const flag = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = join(path, '.jj', 'working_copy', 'checkout');
  const state = await readFile(file, { flag }).catch(ignoreMissing);
  return state && readField(state, NAME_FIELD)?.toString('utf8');
}

/** Of the message `Checkout` of jj's local_working_copy.proto. */
const NAME_FIELD = 3;

/** A field of a protobuf message in which every field is short and has its length before it. */
function readField(message: Buffer, wanted: number): Buffer | undefined {
  for (let at = 0; at + 1 < message.length; ) {
    const [tag = 0, length = 0] = message.subarray(at, at + 2);
    if ((tag & 7) !== 2 || length > 127) return undefined;
    if (tag >> 3 === wanted) return message.subarray(at + 2, at + 2 + length);
    at += 2 + length;
  }
  return undefined;
}

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatList } from '../../domain/error/catalog/catalog-entry.js';
import { isCarrelError } from '../../domain/error/error.js';
import { displayPath, toFsPath } from '../../git/byte-path.js';
import type { Git } from '../../git/git.js';

/** A work tree that has just been filled. */
export interface SubmodulePlace {
  readonly gitDir: string;
  readonly workTree: string;
  readonly commonDir: string;
}

/**
 * Fetches the submodules of a new work tree if possible: without a network or with a refused protocol they stay empty,
 * which is a warning and never an error. The user's own protocol settings apply.
 */
export async function initSubmodules(
  git: Git,
  place: SubmodulePlace,
  options: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<string[]> {
  if (!(await hasSubmodules(place.workTree))) return [];
  const { gitDir, workTree } = place;
  try {
    const config = await activation(git, place);
    await git.run(['submodule', 'update', '--recursive'], { gitDir, workTree, config, ...options });
    return [];
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    const command = `git -C ${workTree} submodule update --init --recursive`;
    const empty = formatList(await listEmpty(git, place));
    return [`submodules could not be fetched (still empty: ${empty}); retry with: ${command}`];
  }
}

async function hasSubmodules(workTree: string): Promise<boolean> {
  return (await lstat(join(workTree, '.gitmodules')).catch(() => undefined))?.isFile() ?? false;
}

/**
 * `--init` would write each submodule into the repository's configuration, which belongs to the user and is shared by all
 * work trees. Declaring all of them active for this one command does the same without a trace; the user's own
 * `submodule.active` is respected.
 */
async function activation(git: Git, place: SubmodulePlace): Promise<string[]> {
  const isChosen = await git.succeeds(['config', '--get-all', 'submodule.active'], {
    gitDir: place.commonDir,
  });
  return isChosen ? [] : ['submodule.active=.'];
}

async function listEmpty(git: Git, { gitDir, workTree }: SubmodulePlace): Promise<string[]> {
  const entries = await git.records(['ls-files', '--stage', '-z'], { gitDir, workTree });
  const paths = entries
    .filter(entry => entry.startsWith('160000 '))
    .map(entry => entry.slice(entry.indexOf('\t') + 1));
  const empty: string[] = [];
  for (const path of paths) {
    const names = await readdir(toFsPath(workTree, path)).catch(() => []);
    if (names.length === 0) empty.push(displayPath(path));
  }
  return empty;
}

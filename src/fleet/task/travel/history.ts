import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import type { Context } from '../../../operations/context.js';
import { BASE_REF, writeSource } from '../../../sandbox/exchange/import-bundle.js';

/** A commit of a repository. */
export interface Origin {
  readonly commonDir: string;
  readonly commit: string;
}

/** Writes a commit with its history to a bundle below `directory`, and returns its path. The repository is only read. */
export async function packHistory(
  { git }: Pick<Context, 'git'>,
  { commonDir, commit }: Origin,
  directory: string,
  signal?: AbortSignal,
): Promise<string> {
  const gitDir = join(directory, 'source');
  await writeSource(gitDir, { commonDir, base: commit, isSha256: commit.length === 64 });
  const file = join(directory, 'history.bundle');
  // With one thread the same history gives the same bytes, so that it is stored once.
  const config = ['pack.threads=1'];
  await git.run(['bundle', 'create', '--quiet', file, BASE_REF], { gitDir, config, signal });
  return file;
}

/**
 * Makes a repository of a bundle: `main` is the commit, and of the files there is only Carrel's configuration, because
 * the work is done in workspaces. BASE_UNAVAILABLE.
 */
export async function unpackHistory(
  { git }: Pick<Context, 'git'>,
  { bundle, commit }: { readonly bundle: string; readonly commit: string },
  root: string,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const format = commit.length === 64 ? ['--object-format=sha256'] : [];
  const init = ['init', '--quiet', '--template=', '--initial-branch=main', ...format, root];
  await git.run(init, { cwd: root, signal });
  const gitDir = join(root, '.git');
  const flags = [
    '--quiet',
    '--update-head-ok',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
  ];
  const words = ['fetch', ...flags, '--end-of-options', bundle, `${BASE_REF}:refs/heads/main`];
  try {
    await git.run(words, { gitDir, config: ['fetch.fsckObjects=true'], signal });
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    throw unusable(commit, 'git cannot read the bundle', error);
  }
  const found = await git.text(['rev-parse', '--verify', 'refs/heads/main'], { gitDir });
  if (found !== commit) throw unusable(commit, `the bundle has the commit ${found}`);
  const settings = await git.text(['ls-tree', '--name-only', commit, '--', SETTINGS], { gitDir });
  if (settings !== '')
    await git.run(['checkout', '--quiet', commit, '--', SETTINGS], { gitDir, workTree: root });
}

const SETTINGS = '.carrel';

const unusable = (commit: string, reason: string, cause?: unknown) =>
  carrelError('BASE_UNAVAILABLE', { base: `bundle of ${commit}`, reason }, cause);

import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';
import { listBranchHolders } from '../../git/repository/branch-holder.js';
import { withAdoptedPack } from '../incoming/adopt-pack.js';
import { checkContent } from '../incoming/content/content-policy.js';
import { DEFAULT_LIMITS } from '../incoming/import-limits.js';
import { type IncomingRepository, withIncoming } from '../incoming/incoming-repository.js';
import { listNewCommits } from '../incoming/new-commits.js';

export interface BundleRequest {
  readonly git: Git;
  /** The git directory of the repository that gets the commits. */
  readonly commonDir: string;
  /** The bundle of another machine. Nothing in it is believed. */
  readonly bundle: string;
  /** Names the directory in which it arrives. */
  readonly id: string;
  /** In the bundle. */
  readonly branch: string;
  /** In the repository; the same by default. */
  readonly target?: string | undefined;
  /** The tip of the branch in the bundle. */
  readonly commit: string;
  /** A commit of the repository that the bundle continues. */
  readonly base: string;
  readonly signal?: AbortSignal | undefined;
}

export type ImportedBundle =
  | { readonly outcome: 'imported' | 'unchanged' }
  /** Another branch name is needed: it is checked out, or has commits that are not in the bundle. */
  | { readonly outcome: 'taken' }
  /** Nothing was changed. Each problem is a sentence. */
  | { readonly outcome: 'refused'; readonly problems: readonly string[] };

/**
 * Imports a branch of a bundle through the gate for commits of a sandbox: they are pushed into an incoming repository,
 * where git and the rules for content check them, and only then its pack is moved and the branch set, by
 * compare-and-swap. Commits that the branch has here are never dropped, and a checked out branch never moves.
 */
export async function importBundle(request: BundleRequest): Promise<ImportedBundle> {
  const { git, commonDir, commit, target = request.branch } = request;
  const ref = `refs/heads/${target}`;
  const tip = (await readRef(git, { gitDir: commonDir }, ref)) ?? null;
  if (tip === commit) return { outcome: 'unchanged' };
  if ((await listBranchHolders(git, commonDir, ref)).length > 0) return { outcome: 'taken' };
  const timeout = AbortSignal.timeout(DEFAULT_LIMITS.timeMs);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  const place = { workspaceId: request.id, tip, isSha256: commit.length === 64, limits: DEFAULT_LIMITS };
  return withIncoming({ git, commonDir, branch: target, ...place }, incoming =>
    receiveAndCheck({ ...request, signal, tip }, incoming),
  );
}

type Reception = BundleRequest & { readonly signal: AbortSignal; readonly tip: string | null };

async function receiveAndCheck(request: Reception, incoming: IncomingRepository): Promise<ImportedBundle> {
  const { git, commonDir, commit, base, tip, signal } = request;
  const problem = await receiveBundle(request, incoming);
  if (problem !== undefined) return { outcome: 'refused', problems: [problem] };
  const known = [base, ...(tip === null ? [] : [tip])];
  const limits = DEFAULT_LIMITS;
  const commits = await listNewCommits(git, incoming, commit, known, limits.commits);
  const isAhead =
    tip === null || (await git.succeeds(['merge-base', '--is-ancestor', tip, commit], incoming.options));
  if (!isAhead) return { outcome: 'taken' };
  const problems = await checkContent({ git, incoming, commonDir, commits, limits, signal });
  if (problems.length > 0) return { outcome: 'refused', problems };
  const isMoved = await withAdoptedPack(incoming.gitDir, commonDir, () => moveBranch(request, incoming));
  return { outcome: isMoved ? 'imported' : 'taken' };
}

/** The push makes git check every object, and the limits of the incoming repository apply. Returns the problem. */
async function receiveBundle(
  { git, bundle, commit, base, commonDir, branch, signal }: Reception,
  { gitDir: target, ref, options }: IncomingRepository,
): Promise<string | undefined> {
  const source = join(target, 'source');
  await writeSource(source, { commonDir, base, isSha256: commit.length === 64 });
  const place = { ...options, gitDir: source, signal };
  const words = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  try {
    await git.run([...words, '--end-of-options', bundle, `+refs/heads/${branch}:${ref}`], place);
    const found = await git.text(['rev-parse', '--verify', ref], place);
    if (found !== commit) return `the bundle has ${found} on ${branch}, expected ${commit}`;
    await git.run(['push', '--quiet', '--end-of-options', target, `+${commit}:${ref}`], place);
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    return `git refused them: ${String(error.details.stderr).trim().split('\n').at(-1)}`;
  }
  const tip = (await readFile(join(target, ref), 'utf8').catch(ignoreMissing))?.trim();
  return tip === commit ? undefined : `git received ${tip ?? 'nothing'}, expected ${commit}`;
}

interface SourceRequest {
  readonly commonDir: string;
  /** A ref holds it: a bundle continues only what a repository is known to have. */
  readonly base: string;
  readonly isSha256: boolean;
}

/** A bare repository that borrows the objects of another one and has one of its commits on a ref. */
export async function writeSource(
  gitDir: string,
  { commonDir, base, isSha256 }: SourceRequest,
): Promise<void> {
  const objects = join(gitDir, 'objects');
  const refFile = join(gitDir, BASE_REF);
  await mkdir(join(objects, 'info'), { recursive: true });
  await mkdir(dirname(refFile), { recursive: true });
  const format = isSha256 ? '\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n' : '';
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(gitDir, 'config'), `[core]\n\tbare = true\n\tlogAllRefUpdates = false\n${format}`);
  // Relative, because such a path needs no quoting; git follows `..` where links lead.
  const borrowed = relative(await realpath(objects), join(commonDir, 'objects'));
  await writeFile(join(objects, 'info', 'alternates'), `${borrowed}\n`);
  await writeFile(refFile, `${base}\n`);
}

export const BASE_REF = 'refs/heads/carrel-base';

async function moveBranch(
  { git, commonDir, commit, tip }: Reception,
  { ref }: IncomingRepository,
): Promise<boolean> {
  try {
    const change = { ref, from: tip, to: commit };
    await updateRefs(git, { gitDir: commonDir }, [change], 'carrel: import a bundle');
    return true;
  } catch (error) {
    if (isCarrelError(error, 'REF_MOVED')) return false;
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { EvalBase } from '../../domain/batch/eval-item.js';
import { carrelError, errnoOf, isCarrelError } from '../../domain/error/error.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Context } from '../../operations/context.js';
import { inRepositoryLock } from '../../operations/repository/hold-repository-lock.js';
import { makeEvalPlaces } from './eval-places.js';

type GitBase = Extract<EvalBase, { readonly kind: 'git' }>;

export interface FetchedCommit {
  /** The bare repository that contains it. */
  readonly mirror: string;
  readonly commit: string;
}

/** Enough for a large repository over a slow connection. */
const FETCH_LIMIT_MS = 30 * 60_000;

/**
 * Fetches one commit of a repository into the mirror of its URL, without its history, so that nothing before or after
 * it is there: an agent that finds the mirror finds no answer in it. A commit that is already there is not fetched again; a
 * branch or tag is fetched each time. BASE_UNAVAILABLE.
 */
export async function fetchCommit(
  context: Pick<Context, 'store' | 'git' | 'ids' | 'now' | 'self' | 'places'>,
  { url, commit }: GitBase,
  signal: AbortSignal | undefined,
): Promise<FetchedCommit> {
  requireUrl(url);
  if (!NAME.test(commit)) throw unavailable(url, `${JSON.stringify(commit)} is not a commit, tag or branch`);
  const { mirrors } = await makeEvalPlaces(context);
  const mirror = join(mirrors, `${digest(url)}.git`);
  const lock = { repositoryId: `mirror:${digest(url)}`, repository: mirror };
  const bring = async () => {
    await makeMirror(context, mirrors, mirror);
    const ref = `refs/bases/${digest(commit)}`;
    const isId = /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit);
    const present = isId ? await findCommit(context, mirror, ref) : undefined;
    if (!present) await fetch(context, mirror, url, `+${commit}:${ref}`, signal);
    const found = present ?? (await findCommit(context, mirror, ref));
    if (!found) throw unavailable(url, `${commit} is not a commit`);
    return { mirror, commit: found };
  };
  // The lock holder may be fetching.
  return inRepositoryLock(context, lock, bring, { signal, timeoutMs: FETCH_LIMIT_MS });
}

/** Not an option, a pattern or a revision expression. */
const NAME = /^(?!-)(?!.*\.\.)[\w./@+-]+$/;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Helpers such as `ext::` run programs, which a dataset must not do. */
function requireUrl(url: string): void {
  const isRemote = /^(file|https|ssh):\/\/[^-]/.test(url) || /^[\w.-]+@[\w.][\w.-]*:[^:]/.test(url);
  if (isAbsolute(url) || isRemote) return;
  const reason = 'expected an absolute path or a file, https or ssh URL';
  throw unavailable(url, reason);
}

const unavailable = (base: string, reason: string, cause?: unknown) =>
  carrelError('BASE_UNAVAILABLE', { base, reason }, cause);

async function makeMirror({ git }: Pick<Context, 'git'>, parent: string, mirror: string): Promise<void> {
  if (existsSync(mirror)) return;
  await withScratchDirectory(parent, async scratch => {
    const draft = join(scratch, 'mirror.git');
    await git.run(['init', '--quiet', '--bare', '--template=', '--object-format=sha1', draft], {
      cwd: scratch,
    });
    await rename(draft, mirror).catch(error => {
      if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    });
  });
}

async function findCommit(
  { git }: Pick<Context, 'git'>,
  gitDir: string,
  ref: string,
): Promise<string | undefined> {
  const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const { exitCode, stdout } = await git.run(words, { gitDir, answers: [0, 1, 128] });
  return exitCode === 0 ? stdout.toString('latin1').trim() : undefined;
}

async function fetch(
  { git }: Pick<Context, 'git'>,
  gitDir: string,
  url: string,
  refspec: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const flags = ['--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  try {
    await git.run(['fetch', ...flags, '--end-of-options', url, refspec], {
      gitDir,
      config: ALLOWED_PROTOCOLS,
      timeoutMs: FETCH_LIMIT_MS,
      signal,
    });
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    throw unavailable(url, String(error.details.stderr).trim().split('\n').at(-1) ?? '', error);
  }
}

/** Protocol version 2, which allows fetching any commit by its id. */
const ALLOWED_PROTOCOLS = [
  'protocol.allow=never',
  'protocol.version=2',
  ...['file', 'https', 'ssh'].map(name => `protocol.${name}.allow=always`),
];

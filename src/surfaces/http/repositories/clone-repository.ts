import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { carrelError, isCarrelError } from '../../../domain/error/error.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import { readRef } from '../../../git/refs/refs.js';
import { inRepositoryLock } from '../../../operations/repository/hold-repository-lock.js';
import { cleanUpScratch } from '../../../operations/space/clean-up-scratch.js';
import type { ServerContext } from '../server-context.js';
import { bringDefinitions } from './clone-definitions.js';
import { clonesDirectory } from './clones-directory.js';

/** A repository to fetch, checked by `parseRepository` and the allowlist. */
export interface Origin {
  /** For git: a URL, or the real path of a directory. */
  readonly address: string;
  readonly protocol: 'https' | 'ssh' | 'file';
  /** As it was sent, for messages. */
  readonly sent: string;
}

/** Enough for a large repository over a slow connection. */
const FETCH_LIMIT_MS = 10 * 60_000;

/**
 * The server's clone of a repository, up to date. It is made once, has no checkout except the definitions in `.carrel`,
 * and its HEAD is that of the origin. REPOSITORY_UNAVAILABLE.
 */
export async function fetchClone(
  server: ServerContext,
  origin: Origin,
  signal: AbortSignal,
): Promise<string> {
  const parent = clonesDirectory(server.app.places);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const digest = createHash('sha256').update(origin.address).digest('hex').slice(0, 16);
  const directory = join(parent, `${nameOf(origin)}-${digest}`);
  const lock = { repositoryId: `clone:${digest}`, repository: origin.sent };
  const bring = async () => {
    const update = (clone: string) => updateClone(server, clone, origin, signal);
    await (existsSync(directory) ? update(directory) : makeClone(server, parent, directory, update));
    return directory;
  };
  // The owner of the lock may be fetching.
  return inRepositoryLock(server.app, lock, bring, { signal, timeoutMs: FETCH_LIMIT_MS });
}

/** The default branch of the origin, in a clone. */
export const ORIGIN_HEAD = 'origin/HEAD';

/** The name in a clone of a branch of the origin: git itself does not search the branches of a remote. */
export async function nameInClone({ app }: ServerContext, directory: string, base: string): Promise<string> {
  const gitDir = join(directory, '.git');
  return (await readRef(app.git, { gitDir }, `refs/remotes/origin/${base}`)) ? `origin/${base}` : base;
}

const nameOf = ({ address }: Origin): string =>
  basename(address)
    .replace(/\.git$/, '')
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, 40) || 'repository';

/**
 * Exists only once it is complete: a failed fetch leaves nothing behind. Carrel needs repositories with a work tree, even
 * if it is empty.
 */
async function makeClone(
  { app }: ServerContext,
  parent: string,
  directory: string,
  fill: (clone: string) => Promise<void>,
): Promise<void> {
  // Leftovers of a server that was killed during a fetch.
  await cleanUpScratch(parent);
  await withScratchDirectory(parent, async scratch => {
    const draft = join(scratch, 'clone');
    await app.git.run(['init', '--quiet', '--template=', draft], { cwd: scratch });
    await fill(draft);
    await rename(draft, directory);
  });
}

async function updateClone(
  server: ServerContext,
  clone: string,
  origin: Origin,
  signal: AbortSignal,
): Promise<void> {
  await fetchAll(server, clone, origin, signal);
  await followHead(server, clone, origin);
}

async function fetchAll(
  { app }: ServerContext,
  directory: string,
  { address, protocol, sent }: Origin,
  signal: AbortSignal,
): Promise<void> {
  const refspecs = ['+refs/heads/*:refs/remotes/origin/*', '+HEAD:refs/remotes/origin/HEAD'];
  const flags = ['--quiet', '--prune', '--no-write-fetch-head', '--no-recurse-submodules'];
  try {
    await app.git.run(['fetch', ...flags, '--end-of-options', address, ...refspecs], {
      gitDir: join(directory, '.git'),
      // The allowlist limits where to fetch from, and a redirect could lead elsewhere.
      config: ['http.followRedirects=false'],
      env: { GIT_ALLOW_PROTOCOL: protocol, GIT_SSH_COMMAND: await sshCommand(app) },
      timeoutMs: FETCH_LIMIT_MS,
      signal,
    });
  } catch (error) {
    if (!isCarrelError(error, 'GIT_FAILED')) throw error;
    const reason = String(error.details.stderr).trim().split('\n').at(-1) ?? '';
    throw carrelError('REPOSITORY_UNAVAILABLE', { repository: sent, reason }, error);
  }
}

/** The user's own ssh command in batch mode: a server has no terminal for questions. */
async function sshCommand({ git, environment, cwd }: ServerContext['app']): Promise<string> {
  const own =
    environment.GIT_SSH_COMMAND ??
    (await git.text(['config', '--default', 'ssh', 'core.sshCommand'], { cwd }));
  return `${own} -oBatchMode=yes`;
}

async function followHead({ app }: ServerContext, directory: string, { sent }: Origin): Promise<void> {
  const gitDir = join(directory, '.git');
  const commit = await readRef(app.git, { gitDir }, `refs/remotes/${ORIGIN_HEAD}`);
  if (commit === undefined)
    throw carrelError('REPOSITORY_UNAVAILABLE', { repository: sent, reason: 'it has no default branch' });
  await app.git.run(['update-ref', '--no-deref', 'HEAD', commit], { gitDir });
  await bringDefinitions(app.git, directory, commit);
}

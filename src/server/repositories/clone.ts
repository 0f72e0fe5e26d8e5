import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { carrelError, isCarrelError } from '../../domain/error.js';
import { readRef } from '../../git/refs.js';
import { withScratchDirectory } from '../../git/scratch-directory.js';
import { inRepositoryLock } from '../../operations/repository-lock.js';
import { sweepScratch } from '../../operations/sweep-scratch.js';
import type { ServerContext } from '../server-context.js';
import { bringDefinitions } from './clone-definitions.js';
import { clonesDirectory } from './clones-directory.js';

/** A repository that git can fetch, as `parseRepository` and the allow-list have let it through. */
export interface Origin {
  /** For git: a url, or the real path of a directory. */
  readonly address: string;
  readonly protocol: 'https' | 'ssh' | 'file';
  /** As it was sent, for people. */
  readonly sent: string;
}

/** A large repository over a slow line. */
const FETCH_LIMIT_MS = 10 * 60_000;

/**
 * The server's own clone of a repository, with all that is there now. It is made once, has no checkout but the
 * definitions of `.carrel`, and HEAD is where that of the origin is. REPOSITORY_UNAVAILABLE.
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
  // Who has the lock may be fetching.
  return inRepositoryLock(server.app, lock, bring, { signal, timeoutMs: FETCH_LIMIT_MS });
}

/** Where the default branch of the origin was, in a clone. */
export const ORIGIN_HEAD = 'origin/HEAD';

/** What a name of the origin is called in a clone: git by itself does not look for branches of a remote. */
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
 * There only once it has been filled: what can't be fetched leaves nothing behind. Carrel makes workspaces of repositories that
 * have a work tree, be it an empty one.
 */
async function makeClone(
  { app }: ServerContext,
  parent: string,
  directory: string,
  fill: (clone: string) => Promise<void>,
): Promise<void> {
  // A server that was killed while it fetched.
  await sweepScratch(parent);
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
      // The allow-list names where to fetch from, and a redirect would lead elsewhere.
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

/** The user's own, which asks nobody: a question would be for a terminal that nobody looks at. */
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

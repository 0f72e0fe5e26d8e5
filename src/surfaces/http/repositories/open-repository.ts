import { carrelError } from '../../../domain/error/error.js';
import { locateRepository } from '../../../operations/repository/locate-repository.js';
import type { ServerContext } from '../server-context.js';
import { requireAllowedDirectory } from './allowed-directory.js';
import { isAllowedUrl } from './allowed-urls.js';
import { fetchClone, nameInClone, ORIGIN_HEAD, type Origin } from './clone-repository.js';
import { type NamedRepository, parseRepository } from './parse-repository.js';

export interface RepositoryRequest {
  /** A path or URL; the repository of the server when omitted. */
  readonly repository: string | undefined;
  readonly base?: string | undefined;
  readonly signal: AbortSignal;
}

export interface OpenedRepository {
  /** The root of the repository or of its clone. */
  readonly directory: string;
  /** The base to start from; undefined for HEAD. */
  readonly base: string | undefined;
  /** As it was sent, for answers. */
  readonly targetRepository: string;
}

/**
 * The repository that a request names, ready for workspaces: a directory under the roots, or the freshly fetched clone of
 * a URL. REPOSITORY_NOT_ALLOWED, REPOSITORY_UNAVAILABLE, NOT_A_REPOSITORY.
 */
export async function openRepository(
  server: ServerContext,
  wish: RepositoryRequest,
): Promise<OpenedRepository> {
  const sent = wish.repository ?? requireOwn(server);
  const named = parseRepository(sent);
  if (named.kind === 'directory')
    return {
      directory: await requireAllowedRoot(server, named.path),
      base: wish.base,
      targetRepository: sent,
    };
  const origin = await requireAllowedOrigin(server, named, sent);
  const directory = await fetchClone(server, origin, wish.signal);
  const base = wish.base === undefined ? ORIGIN_HEAD : await nameInClone(server, directory, wish.base);
  return { directory, base, targetRepository: sent };
}

/** The same for requests that accept only a directory. */
export async function openDirectory(server: ServerContext, given: string | undefined): Promise<string> {
  const sent = given ?? requireOwn(server);
  const named = parseRepository(sent);
  if (named.kind === 'directory') return requireAllowedRoot(server, named.path);
  const reason = 'expected a directory, not a URL';
  throw carrelError('REPOSITORY_NOT_ALLOWED', { repository: sent, reason });
}

function requireOwn({ settings }: ServerContext): string {
  if (settings.repository !== null) return settings.repository;
  const expected = 'the path of a repository, because the server was not started in one';
  throw carrelError('INVALID_INPUT', { what: 'repository', found: 'nothing', expected });
}

/**
 * The root of the repository around a directory. It and its git directory must be under the roots of the server, so that a
 * link below a root cannot lead out of it.
 */
export async function requireAllowedRoot(server: ServerContext, path: string): Promise<string> {
  const { root, commonDir } = await locateRepository(server.app, await requireAllowedDirectory(server, path));
  for (const place of [root, commonDir])
    if (place !== null) await requireAllowedDirectory(server, place, path);
  return root;
}

async function requireAllowedOrigin(
  server: ServerContext,
  named: Exclude<NamedRepository, { kind: 'directory' }>,
  sent: string,
): Promise<Origin> {
  if (named.kind === 'file-url')
    return { address: await requireAllowedDirectory(server, named.path, sent), protocol: 'file', sent };
  if (isAllowedUrl(named.url, server.settings.allowedUrls))
    return { address: named.url, protocol: named.protocol, sent };
  const reason = 'it is not below a URL that the server may fetch from';
  throw carrelError('REPOSITORY_NOT_ALLOWED', { repository: sent, reason });
}

import { carrelError } from '../../../domain/error/error.js';
import { isRepositoryUrl } from '../../../domain/text/repository-url.js';
import type { CarrelClient } from '../../client/carrel-client.js';
import { createClient } from '../../client/create-client.js';
import { createHttp, type Http } from '../../client/http.js';
import { isLoopback } from '../../http/security/own-url.js';
import { absolutePath, type Session } from '../cli-session.js';
import { explainServerError } from './server-error.js';
import { findServerName, type ServerOptions } from './server-options.js';
import { findToken } from './server-token.js';

/** The server of a command. */
export interface Server {
  /** Without a trailing slash. */
  readonly url: string;
  /** Whether it is on this machine according to its address. */
  readonly isHere: boolean;
  readonly client: CarrelClient;
  /** For calls that only the command line makes. */
  readonly http: Http;
}

/** Runs `use` with the server of the call, and reports connection errors like any other error. */
export async function withServer<T>(
  session: Session,
  options: ServerOptions,
  use: (server: Server) => Promise<T>,
): Promise<T> {
  const address = requireAddress(options, session);
  const url = address.href.replace(/\/+$/, '');
  const isHere = isLoopback(address.hostname.replace(/^\[|\]$/g, ''));
  const token = await findToken(session, { server: url, isHere, file: options.tokenFile });
  if (address.protocol === 'http:' && !isHere)
    session.output.narrate(`warning: the token is sent to ${url} unencrypted; use https`);
  const connection = { baseUrl: url, token: token.value };
  try {
    return await use({ url, isHere, client: createClient(connection), http: createHttp(connection) });
  } catch (error) {
    throw explainServerError(error, { server: url, tokenSource: token.source });
  }
}

function requireAddress(options: ServerOptions, session: Session): URL {
  const given = findServerName(options, session);
  if (given === undefined) throw carrelError('NO_SERVER', {});
  const address = URL.canParse(given) ? new URL(given) : undefined;
  if (address && isPlain(address)) return address;
  throw carrelError('INVALID_INPUT', {
    what: 'the server address',
    found: JSON.stringify(withoutPassword(given)),
    expected: 'a URL such as http://127.0.0.1:7717',
  });
}

const isPlain = ({ protocol, username, password, search, hash }: URL): boolean =>
  (protocol === 'http:' || protocol === 'https:') &&
  [username, password, search, hash].every(part => part === '');

/** The refused address is printed and may be logged. */
const withoutPassword = (given: string): string => given.replace(/\/\/[^/@]*@/, '//***@');

/**
 * The repository as sent to the server: a URL or a path on another machine unchanged; on this machine, the absolute
 * directory.
 */
export function nameRepository(
  session: Session,
  { repository }: ServerOptions,
  { isHere }: Server,
): string | undefined {
  if (repository !== undefined && isRepositoryUrl(repository)) return repository;
  return isHere ? absolutePath(session, repository ?? '.') : repository;
}

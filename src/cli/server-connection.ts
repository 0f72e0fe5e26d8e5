import type { CarrelClient } from '../client/carrel-client.js';
import { createClient } from '../client/create-client.js';
import { createHttp, type Http } from '../client/http.js';
import { carrelError } from '../domain/error.js';
import { isRepositoryUrl } from '../domain/repository-url.js';
import { isLoopback } from '../server/own-url.js';
import { explainServerError } from './server-error.js';
import { findServerName, type ServerOptions } from './server-options.js';
import { findToken } from './server-token.js';
import { absolutePath, type Session } from './session.js';

/** A server that a command asks. */
export interface Server {
  /** Without a slash at its end. */
  readonly url: string;
  /** Whether it is on this machine, as far as its address tells. */
  readonly isHere: boolean;
  readonly client: CarrelClient;
  /** For what only the command line asks. */
  readonly http: Http;
}

/** Asks the server that the call names; what goes wrong on the way reads like any other error. */
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
    session.output.narrate(`warning: the token goes to ${url} unencrypted; put https before the server`);
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
    what: 'the server',
    found: JSON.stringify(withoutPassword(given)),
    expected: 'an address such as http://127.0.0.1:7717',
  });
}

const isPlain = ({ protocol, username, password, search, hash }: URL): boolean =>
  (protocol === 'http:' || protocol === 'https:') &&
  [username, password, search, hash].every(part => part === '');

/** What is refused is shown, and may be on record from then on. */
const withoutPassword = (given: string): string => given.replace(/\/\/[^/@]*@/, '//***@');

/**
 * The repository as the server is to be told: a url and a path on another machine as they are; here, the directory that
 * is meant.
 */
export function nameRepository(
  session: Session,
  { repository }: ServerOptions,
  { isHere }: Server,
): string | undefined {
  if (repository !== undefined && isRepositoryUrl(repository)) return repository;
  return isHere ? absolutePath(session, repository ?? '.') : repository;
}

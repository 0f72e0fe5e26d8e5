import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { carrelError } from '../../domain/error.js';

/**
 * Refuses requests that call the server by a name that is not its own: a page of a stranger whose name suddenly points
 * to this machine (DNS rebinding) has the browser send the stranger's name. The port is not compared, since a tunnel may
 * have another; the origin is compared with it.
 */
export function checkHost(incoming: IncomingMessage, ownNames: readonly string[]): void {
  const given = incoming.headers.host ?? '';
  const name = hostNameOf(given);
  if (name === undefined) throw refused(given);
  // Nobody can point an address to elsewhere: the one that the request came in at is always right.
  const local = plainAddress(incoming.socket.localAddress ?? '');
  if (name !== local && !ownNames.includes(name)) throw refused(given);
}

/** What a server that listens on `host` is called. */
export const ownNamesOf = (host: string, hostNames: readonly string[]): string[] =>
  ['localhost', '127.0.0.1', '::1', host, ...hostNames].map(name => name.toLowerCase());

const refused = (host: string) =>
  carrelError('REQUEST_REFUSED', { reason: `the host ${JSON.stringify(host)} is not one of this server` });

/** `localhost`, `127.0.0.1` or `::1` of `localhost:7717`, `127.0.0.1` or `[::1]:7717`. */
function hostNameOf(host: string): string | undefined {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([a-z\d._-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : undefined;
  return name?.toLowerCase().replace(/\.$/, '');
}

/** A socket that listens for both families names IPv4 addresses as `::ffff:127.0.0.1`. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();

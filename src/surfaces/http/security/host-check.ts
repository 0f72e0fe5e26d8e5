import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { carrelError } from '../../../domain/error/error.js';
import { DASHBOARD_HOST } from './own-url.js';

/**
 * Refuses requests with a host name that is not the server's: if the name of a foreign page suddenly points to this machine
 * (DNS rebinding), the browser sends that name. The port is not compared, because a tunnel may use another one; the
 * origin check compares it.
 */
export function checkHost(incoming: IncomingMessage, ownNames: readonly string[]): void {
  const given = incoming.headers.host ?? '';
  const name = hostNameOf(given);
  if (name === undefined) throw refused(given);
  // An IP address cannot be rebound: the local address of the connection is always accepted.
  const local = plainAddress(incoming.socket.localAddress ?? '');
  if (name !== local && !ownNames.includes(name)) throw refused(given);
}

/** The host names of a server that listens on `host`. */
export const ownNamesOf = (host: string, hostNames: readonly string[]): string[] =>
  ['localhost', DASHBOARD_HOST, '127.0.0.1', '::1', host, ...hostNames].map(name => name.toLowerCase());

const refused = (host: string) =>
  carrelError('REQUEST_REFUSED', { reason: `the host ${JSON.stringify(host)} is not a name of this server` });

/** `localhost`, `127.0.0.1` or `::1` of `localhost:7717`, `127.0.0.1` or `[::1]:7717`. */
function hostNameOf(host: string): string | undefined {
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([a-z\d._-]+))(?::\d{1,5})?$/i.exec(host) ?? [];
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : undefined;
  return name?.toLowerCase().replace(/\.$/, '');
}

/** A dual-stack socket reports IPv4 addresses as `::ffff:127.0.0.1`. */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').toLowerCase();

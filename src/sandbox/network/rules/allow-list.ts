import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { carrelError } from '../../../domain/error/error.js';
import { parseAuthority, type Target } from './network-target.js';

/** One entry of `sandbox.allow`. */
export interface AllowedHost {
  readonly host: string;
  /** `*.example.com`: everything below the domain, at any depth, and not the domain itself. */
  readonly isWildcard: boolean;
  readonly ports: readonly number[];
  /** The user listed this address or the machine itself: then it may be private. */
  readonly mayBeInternal: boolean;
}

const USUAL_PORTS = [443, 80];

/** NETWORK_UNAVAILABLE when an entry is not a host. */
export function parseAllowList(entries: readonly string[]): AllowedHost[] {
  return entries.map(parseEntry);
}

function parseEntry(entry: string): AllowedHost {
  const isWildcard = entry.startsWith('*.');
  const text = toAscii(isWildcard ? entry.slice(2) : entry);
  const withPort = parseAuthority(text);
  const host = (withPort ?? parseAuthority(text, ANY_PORT))?.host;
  if (host === undefined || (isWildcard && isIP(host))) {
    throw carrelError('NETWORK_UNAVAILABLE', {
      problem: `sandbox.allow has "${entry}", which is not a host`,
    });
  }
  const mayBeInternal = !isWildcard && (host === 'localhost' || isIP(host) !== 0);
  return { host, isWildcard, ports: withPort ? [withPort.port] : USUAL_PORTS, mayBeInternal };
}

const ANY_PORT = 443;

/** Clients send names beyond ASCII in their encoded form (`xn--...`), so that is what is compared. */
function toAscii(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern covers all of ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const [name = '', port] = text.split(':');
  return port === undefined ? domainToASCII(name) : `${domainToASCII(name)}:${port}`;
}

/** The entry that lets a target through. An address needs an entry with exactly this address. */
export function findAllowed(list: readonly AllowedHost[], target: Target): AllowedHost | undefined {
  return list.find(allowed => allowed.ports.includes(target.port) && isNamedBy(allowed, target.host));
}

function isNamedBy(allowed: AllowedHost, host: string): boolean {
  if (!allowed.isWildcard) return host === allowed.host;
  return isIP(host) === 0 && host.endsWith(`.${allowed.host}`);
}

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type AllowedHost, findAllowed } from './allow-list.js';
import type { RefusalReason } from './network-refusal.js';
import type { Target } from './network-target.js';
import { isPublicAddress } from './public-address.js';

/** All addresses of a name; rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The decision about a target. */
export type Permission =
  /** These addresses were checked; the name must not be looked up again, since the answer may differ. */
  | { readonly kind: 'granted'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'unknown-name' };

/** Only listed names are looked up: a DNS query can leak data, too. */
export async function requestPermission(
  list: readonly AllowedHost[],
  target: Target,
  resolve: Resolve,
  own: () => readonly string[] = ownAddresses,
): Promise<Permission> {
  const allowed = findAllowed(list, target);
  if (!allowed) return { kind: 'refused', reason: 'not-allowed' };
  const addresses = await addressesOf(target.host, resolve);
  if (addresses.length === 0) return { kind: 'unknown-name' };
  if (!allowed.mayBeInternal && !areElsewhere(addresses, own())) {
    return { kind: 'refused', reason: 'internal-address' };
  }
  return { kind: 'granted', addresses };
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host)) return [host];
  // By definition (RFC 6761), regardless of name servers and /etc/hosts.
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const found = await resolve(host).catch(() => []);
  return found.every(address => isIP(address)) ? found : [];
}

/** Servers on all addresses of this machine also listen on its public ones. */
const areElsewhere = (addresses: readonly string[], own: readonly string[]): boolean =>
  addresses.every(address => isPublicAddress(address) && !own.includes(address));

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(device => device?.map(({ address }) => address) ?? []);

export const lookUp: Resolve = async name => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

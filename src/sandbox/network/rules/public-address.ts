import { BlockList, isIPv4 } from 'node:net';

/**
 * Whether an address is public, so that a name can't resolve to this machine, its neighbours or
 * the metadata service of its cloud. The ranges are IANA's special-purpose registries for IPv4 and IPv6.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !INTERNAL_V4.check(address, 'ipv4');
  if (EMBEDDING.check(address, 'ipv6')) return isPublicAddress(embeddedAddress(address));
  return GLOBAL_V6.check(address, 'ipv6') && !INTERNAL_V6.check(address, 'ipv6');
}

const INTERNAL_V4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Looks public but is the host of every Azure virtual machine, with its secrets.
  ['168.63.129.16', 32],
]);

/** All addresses assigned for the internet. Unique local, link-local and multicast are outside of it. */
const GLOBAL_V6 = blockList('ipv6', [['2000::', 3]]);

const INTERNAL_V6 = blockList('ipv6', [
  // Protocol assignments, such as Teredo, which embeds an IPv4 address.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, which embeds one too.
  ['2002::', 16],
  ['3fff::', 20],
]);

/** An IPv4 address in the last 32 bits: as it is (mapped), and through a translator (NAT64). */
const EMBEDDING = blockList('ipv6', [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
]);

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

/** The platform's own spelling ends in two groups of 16 bits, of which a zero may be left out (`64:ff9b::`). */
function embeddedAddress(address: string): string {
  const spelled = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const groups = spelled.split(':').slice(-2);
  const [high = 0, low = 0] = groups.map(group => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

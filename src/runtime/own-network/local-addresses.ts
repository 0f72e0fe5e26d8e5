import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/**
 * The IPv4 addresses of this machine, as prefixes, without loopback: of every interface, also of one without a cable,
 * and their broadcast addresses. Read from the kernel's own table, because Node leaves out interfaces that are not
 * running, such as a bridge without containers.
 */
export function listLocalAddresses(): string[] {
  const table = readTable();
  return table === undefined ? listFromInterfaces() : parseLocalAddresses(table);
}

function readTable(): string | undefined {
  try {
    return readFileSync('/proc/net/fib_trie', 'utf8');
  } catch {
    return undefined;
  }
}

/** A leaf is a line with the address, and one for each route to it. */
export function parseLocalAddresses(table: string): string[] {
  const found = new Set<string>();
  let address = '';
  for (const line of table.split('\n')) {
    address = /\|-- (\S+)$/.exec(line)?.[1] ?? address;
    const [, length] = /^\s+\/(\d+) \S+ (?:LOCAL|BROADCAST)\b/.exec(line) ?? [];
    if (length !== undefined && !isLoopback(address)) found.add(`${address}/${length}`);
  }
  return [...found];
}

const isLoopback = (address: string): boolean => address.startsWith('127.');

function listFromInterfaces(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
  const outside = all.filter(({ family, internal }) => family === 'IPv4' && !internal);
  return [...new Set(outside.map(({ address }) => `${address}/32`))];
}

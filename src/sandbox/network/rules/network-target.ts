import { isIPv6 } from 'node:net';

/** Where a client wants to go. */
export interface Target {
  /** Normalized, for comparing and connecting: see `parseHost`. */
  readonly host: string;
  readonly port: number;
}

/** Reads `host:port`. Undefined for anything else: user names, paths, control characters, an invalid port. */
export function parseAuthority(text: string, defaultPort?: number): Target | undefined {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text);
  const host = parseHost(parts?.[1] ?? '');
  const port = parts?.[2] === undefined ? defaultPort : Number(parts[2]);
  if (host === undefined || port === undefined || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/**
 * A name in lower case without its last dot, or an address in its usual form (IPv6 without brackets). Every notation of an
 * address that the system's resolver accepts (`127.1`, `0x7f000001`, `017700000001`) is normalized, so that nothing compared as a
 * name is ever connected to as an address. Undefined when it is not a host.
 */
export function parseHost(text: string): string | undefined {
  if (text.startsWith('[')) return parseBracketed(text);
  if (!/^[a-z0-9._-]{1,254}$/i.test(text)) return undefined;
  const name = text.toLowerCase().replace(/\.$/, '');
  if (/(^|\.)(\d+|0x[0-9a-f]*)$/.test(name)) return spellAddress(name);
  return name.length <= 253 && name.split('.').every(isLabel) ? name : undefined;
}

/** A zone (`fe80::1%eth0`) names a device of this machine and is refused. */
function parseBracketed(text: string): string | undefined {
  const address = text.slice(1, -1);
  if (!text.endsWith(']') || !isIPv6(address) || address.includes('%')) return undefined;
  return spellAddress(text)?.slice(1, -1);
}

const spellAddress = (host: string): string | undefined =>
  URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined;

const isLabel = (label: string): boolean => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label);

/** As in a header or a message. */
export const formatTarget = ({ host, port }: Target): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

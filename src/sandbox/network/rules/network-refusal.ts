import { formatTarget } from './network-target.js';

/** Why a connection was refused. */
export type RefusalReason =
  /** The target could not be parsed. */
  | 'malformed'
  /** No entry of the list names the host with this port. */
  | 'not-allowed'
  /** The name is on the list and resolves to a private address. */
  | 'internal-address'
  /** The tunnel named another host, or none, or was not TLS. */
  | 'server-name'
  | 'too-many-connections';

/** One connection that the allowlist refused. */
export interface Refusal {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** As requested; if it could not be parsed, its printable part. */
  readonly host: string;
  readonly port: number | null;
  readonly reason: RefusalReason;
}

const EXPLANATIONS: Readonly<Record<RefusalReason, string>> = {
  malformed: 'is not a host with a port',
  'not-allowed': 'is not in sandbox.allow',
  'internal-address': 'resolves to a private address',
  'server-name': 'was allowed, but the TLS connection named another host, or none',
  'too-many-connections': 'was refused, because too many connections are open',
};

/** One sentence, for the response and the log. */
export function formatRefusal({ host, port, reason }: Refusal): string {
  const subject = port === null ? host || 'a host' : formatTarget({ host, port });
  return `${subject} ${EXPLANATIONS[reason]}`;
}

/** Text from the client for logs: without control characters, and of limited length. */
export const showable = (text: string): string => text.slice(0, 255).replace(/[^\x21-\x7e]/g, '?');

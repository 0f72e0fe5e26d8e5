import { formatTarget } from './target.js';

/** Why a connection was refused. */
export type RefusalReason =
  /** It can't be told where it was to go. */
  | 'malformed'
  /** No entry of the list names the host with this port. */
  | 'not-allowed'
  /** The name is on the list and resolves to an address that is not on the internet. */
  | 'internal-address'
  /** Within the tunnel another host was asked for, or none, or it was no TLS. */
  | 'server-name'
  | 'too-many-connections';

/** One connection that the allow-list refused. */
export interface Refusal {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** As it was asked for; of what could not be read, as much as can be shown. */
  readonly host: string;
  readonly port: number | null;
  readonly reason: RefusalReason;
}

const EXPLANATIONS: Readonly<Record<RefusalReason, string>> = {
  malformed: 'is no host with a port',
  'not-allowed': 'is not among the hosts of sandbox.allow',
  'internal-address': 'resolves to an address that is not on the internet',
  'server-name': 'was connected to, and then another host was asked for inside, or none',
  'too-many-connections': 'was not reached, because too many connections are open',
};

/** One sentence, for whoever reads the answer or the log. */
export function formatRefusal({ host, port, reason }: Refusal): string {
  const subject = port === null ? host || 'a host' : formatTarget({ host, port });
  return `${subject} ${EXPLANATIONS[reason]}`;
}

/** Text of the client's own that goes into logs: nothing in it may move a cursor, and it has an end. */
export const showable = (text: string): string => text.slice(0, 255).replace(/[^\x21-\x7e]/g, '?');

import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { errnoOf } from '../../domain/error/error.js';

/**
 * Checks whether a port is free now. Linux lists all ports in use in two short files; elsewhere, or where
 * those are hidden, a port is bound for a moment: twenty servers for a block of ten.
 */
export function createPortCheck(): (port: number) => Promise<boolean> {
  const busy = listBusyPorts();
  return busy ? async port => !busy.has(port) : canBind;
}

function listBusyPorts(): ReadonlySet<number> | undefined {
  try {
    const tables = [readFileSync('/proc/net/tcp', 'latin1'), findTable('/proc/net/tcp6')];
    return new Set(tables.flatMap(parseSocketTable));
  } catch {
    return undefined;
  }
}

/** A machine without IPv6 has no such table, and no listeners there either. */
function findTable(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

const TIME_WAIT = '06';

/** The local ports of a table as proc(5) describes it: number, `ADDRESS:PORT` of both sides and the state, in hex. */
export function parseSocketTable(table: string): number[] {
  const rows = table.split('\n').slice(1).filter(Boolean);
  return rows.flatMap(row => {
    const [, local = '', , state] = row.trim().split(/\s+/);
    // A closed connection does not prevent listening.
    return state === TIME_WAIT ? [] : [Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)];
  });
}

/** A listener on all addresses is found as well: neither loopback address can be bound beside one. */
export async function canBind(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'));
}

function canListen(port: number, host: string): Promise<boolean> {
  const server = createServer();
  return new Promise(resolve => {
    // A machine without IPv6 has no such address; there are no listeners there either.
    server.once('error', error => resolve(['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(errnoOf(error) ?? '')));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

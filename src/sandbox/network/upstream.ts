import { isIP, type LookupFunction, type Socket, connect as startConnection } from 'node:net';
import type { Target } from './target.js';

/** Begins a connection to a target at one of its addresses and at no other. */
export type Connect = (target: Target, addresses: readonly string[]) => Socket;

/** Tries the addresses in their order. */
export const connectDirectly: Connect = ({ host, port }, addresses) =>
  startConnection({
    host,
    port,
    lookup: answerWith(addresses),
    allowHalfOpen: true,
    autoSelectFamily: true,
    // Node's own 250 ms give up every far address but the last.
    autoSelectFamilyAttemptTimeout: 2_000,
  });

/** The name is kept for errors alone; a lookup of Node's own would be the second one. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map(address => ({ address, family: isIP(address) }));
  return (_name, _options, callback) => callback(null, entries);
}

/** Whether it gets connected; lets go of it when that fails or takes too long. */
export function awaitConnection(socket: Socket, limitMs: number): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => socket.destroy(), limitMs);
    const settle = (isConnected: boolean) => {
      clearTimeout(timer);
      resolve(isConnected);
    };
    socket.once('connect', () => settle(true));
    socket.once('close', () => settle(false));
  });
}

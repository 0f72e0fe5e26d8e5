import { isIP, type LookupFunction, type Socket, connect as startConnection } from 'node:net';
import type { Target } from '../rules/network-target.js';

/** Opens a connection to a target at one of its addresses only. */
export type Connect = (target: Target, addresses: readonly string[]) => Socket;

/** Tries the addresses in order. */
export const connectDirectly: Connect = ({ host, port }, addresses) =>
  startConnection({
    host,
    port,
    lookup: answerWith(addresses),
    allowHalfOpen: true,
    autoSelectFamily: true,
    // Node's default of 250 ms gives up every distant address but the last.
    autoSelectFamilyAttemptTimeout: 2_000,
  });

/** The name is only for errors; Node would otherwise look it up again. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map(address => ({ address, family: isIP(address) }));
  return (_name, _options, callback) => callback(null, entries);
}

/** Whether it connects; releases it on failure or timeout. */
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

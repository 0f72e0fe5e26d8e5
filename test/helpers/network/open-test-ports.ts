import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import {
  openPorts,
  type PortAccess,
  type PortsRequest,
} from '../../../src/sandbox/network/ports/open-ports.js';
import { relayCommand } from '../../../src/sandbox/network/relay/relay.js';
import { type SandboxPlace, sandboxPlace } from '../../../src/sandbox/sandbox-place.js';
import { tempDir } from '../temp.js';

export interface TestPorts extends PortAccess {
  readonly place: SandboxPlace;
  readonly ports: readonly number[];
  /** Ports that another program had. */
  readonly taken: number[];
  readonly socketPath: string;
  wrap(command: readonly string[]): string[];
}

export async function openTestPorts(request: Partial<PortsRequest> = {}): Promise<TestPorts> {
  const place = request.place ?? sandboxPlace(tempDir(), 'ws_test');
  const ports = request.ports ?? (await findFreePorts(3));
  const taken: number[] = [];
  const access = await openPorts({
    ...{ place, ports, id: 'op_test', now: Date.now, isShared: async () => false },
    onTaken: port => taken.push(port),
    ...request,
  });
  onTestFinished(access.close);
  return {
    ...access,
    ...{ place, ports, taken },
    socketPath: `${place.proxyDir}/${request.id ?? 'op_test'}.ports`,
    wrap: command => relayCommand({ ports: access.relayed }, command),
  };
}

/** Ports that nothing used a moment ago. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map(server => once(server, 'listening')));
  const ports = servers.map(server => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))));
  return ports;
}

/** Sends a text and gives everything that comes back; or the code of the error. */
export function talk(port: number, text = ''): Promise<string> {
  return new Promise(resolve => {
    const socket: Socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    let heard = '';
    socket.on('data', chunk => (heard += chunk.toString('latin1')));
    socket.on('error', error => resolve('code' in error ? String(error.code) : error.message));
    socket.on('end', () => resolve(heard));
    socket.end(text);
  });
}

/** Waits until a port accepts connections on this machine, or no longer does. */
export async function waitForPort(port: number, isOpen = true): Promise<void> {
  for (let attempt = 0; attempt < 2_000; attempt++) {
    if (((await talk(port)) !== 'ECONNREFUSED') === isOpen) return;
    await delay(10);
  }
  throw new Error(`port ${port} is still ${isOpen ? 'closed' : 'open'}`);
}

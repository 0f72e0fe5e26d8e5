import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ProxyOptions, startProxy } from '../../../src/sandbox/network/proxy/proxy.js';
import { formatRefusal, type Refusal } from '../../../src/sandbox/network/rules/network-refusal.js';
import { tempDir } from '../temp.js';
import { waitFor } from '../wait-for.js';
import { FAR_ADDRESS, serveTcp, wire } from './closed-network.js';

/** A proxy whose hosts are servers on loopback. */
export interface TestProxy {
  readonly path: string;
  readonly refusals: Refusal[];
  readonly close: () => Promise<void>;
}

export interface TestProxyOptions
  extends Partial<Pick<ProxyOptions, 'allow' | 'allowNow' | 'limits' | 'resolve' | 'connect' | 'keys'>> {
  readonly servers?: Readonly<Record<string, number>>;
}

export async function makeProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const path = join(tempDir(), 'proxy.sock');
  const refusals: Refusal[] = [];
  const { close } = await startProxy({
    socketPath: path,
    allow: options.allow ?? ['good.test', 'good.test:9000'],
    allowNow: options.allowNow,
    now: () => 1_000,
    onRefused: refusal => refusals.push(refusal),
    limits: options.limits,
    keys: options.keys,
    resolve: options.resolve ?? (async () => [FAR_ADDRESS]),
    connect: options.connect ?? wire(options.servers ?? {}),
  });
  onTestFinished(close);
  return { path, refusals, close };
}

/** A client that has sent something, and collects what comes back. */
export function openClient(proxy: TestProxy, ...pieces: (string | Buffer)[]) {
  const socket = connect(proxy.path);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const received: Buffer[] = [];
  socket.on('data', chunk => received.push(chunk));
  for (const piece of pieces) socket.write(piece);
  const text = () => Buffer.concat(received).toString('latin1');
  return {
    socket,
    text,
    closed: new Promise<string>(resolve => socket.once('close', () => resolve(text()))),
    has: (part: string) =>
      waitFor(`"${part}" in "${text()}"`, () => (text().includes(part) ? text() : undefined)),
  };
}

export const CONNECT_GOOD = 'CONNECT good.test:9000 HTTP/1.1\r\nHost: good.test:9000\r\n\r\n';
export const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

export const echo = () => serveTcp(socket => void socket.pipe(socket));
export const reasonsOf = (proxy: TestProxy) => proxy.refusals.map(formatRefusal);

/** A server that keeps all that it was sent. */
export async function listening() {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const port = await serveTcp(socket => {
    sockets.push(socket);
    socket.on('data', chunk => received.push(chunk.toString('latin1')));
  });
  return { port, sockets, text: () => received.join('') };
}

import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http';
import { createServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { type Authority, createAuthority } from '../../../src/sandbox/keys/authority.js';
import type { HeldKey } from '../../../src/sandbox/keys/held-key.js';
import { waitFor } from '../wait-for.js';
import { makeProxy, type TestProxy } from './test-proxy.js';

export const KEY = 'sk-ant-api03-TheRealKey+/=0123456789';
export const PLACEHOLDER = 'sk-ant-api03-carrel-placeholder-0123456789abcdef';

/** A proxy that has KEY for keyed.test, and lets clients reach other.test as well. Both are servers on loopback. */
export interface KeyedProxy extends TestProxy {
  /** Of the sandbox. */
  readonly authority: Authority;
  /** Of the internet. */
  readonly world: Authority;
}

export interface KeyedHosts {
  readonly keyed: RequestListener;
  readonly other?: RequestListener;
  readonly headers?: readonly string[];
  /** Whose certificate keyed.test has. */
  readonly impostor?: string;
}

export async function makeKeyedProxy({ keyed, other, headers, impostor }: KeyedHosts): Promise<KeyedProxy> {
  const world = createAuthority(Date.now());
  const authority = createAuthority(Date.now());
  const held: HeldKey = {
    placeholder: PLACEHOLDER,
    value: KEY,
    targets: [{ host: 'keyed.test', port: 443 }],
    headers: headers ?? ['authorization', 'x-api-key'],
  };
  const servers = {
    'keyed.test:443': await serveTls(world, impostor ?? 'keyed.test', keyed),
    'keyed.test:80': await listen(createPlainServer(keyed)),
    'keyed.test:8443': await serveTls(world, 'keyed.test', keyed),
    'other.test:443': await serveTls(world, 'other.test', other ?? ((_request, answer) => answer.end())),
  };
  const allow = ['keyed.test', 'keyed.test:8443', 'other.test'];
  const keys = { held: [held], authority, trusted: world.certificate };
  return { ...(await makeProxy({ allow, servers, keys })), authority, world };
}

export function serveTls(world: Authority, host: string, listener: RequestListener): Promise<number> {
  const server = createServer({ SNICallback: (_name, done) => done(null, world.contextFor(host)) }, listener);
  server.on('tlsClientError', () => undefined);
  return listen(server);
}

async function listen(server: Server | SecureServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>(resolve => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}

export interface TlsClient {
  readonly socket: TLSSocket;
  text(): string;
  has(part: string): Promise<string>;
  readonly closed: Promise<string>;
}

export interface TlsWish {
  /** What CONNECT says. */
  readonly target?: string;
  readonly servername?: string;
  readonly trusts?: Authority;
  /** Takes any certificate. */
  readonly isCareless?: boolean;
}

/** A client that has a tunnel through the proxy and speaks TLS in it. */
export async function openTls(
  proxy: KeyedProxy,
  {
    target = 'keyed.test:443',
    servername = 'keyed.test',
    trusts = proxy.authority,
    isCareless = false,
  }: TlsWish = {},
): Promise<TlsClient> {
  const plain = connect(proxy.path);
  onTestFinished(() => void plain.destroy());
  plain.on('error', () => undefined);
  plain.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  await established(plain);
  const socket = connectTls({
    socket: plain,
    servername,
    ca: trusts.certificate,
    rejectUnauthorized: !isCareless,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  const received: Buffer[] = [];
  let problem = '';
  socket.on('error', error => {
    problem = error.message;
  });
  socket.on('data', chunk => received.push(chunk));
  const text = () => Buffer.concat(received).toString('latin1');
  const closed = new Promise<string>(resolve => socket.once('close', () => resolve(text() || problem)));
  const has = (part: string) =>
    waitFor(`"${part}" in "${text()}"`, () => (text().includes(part) ? text() : undefined));
  return { socket, text, has, closed };
}

function established(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('data', data =>
      data.toString().startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(data.toString())),
    );
  });
}

/** Sends one request and gives the whole answer. */
export async function ask(proxy: KeyedProxy, text: string, wish?: TlsWish): Promise<string> {
  const client = await openTls(proxy, wish);
  client.socket.write(text);
  return client.closed;
}

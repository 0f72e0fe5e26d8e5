import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { createKeyGate, type KeyGateOptions } from '../../keys/key-gate.js';
import { parseAllowList } from '../rules/allow-list.js';
import type { Refusal, RefusalReason } from '../rules/network-refusal.js';
import { lookUp, type Resolve } from '../rules/permission.js';
import { type ProxyLimits, USUAL_LIMITS } from './proxy-limits.js';
import { type Service, track } from './reach-target.js';
import { serveForward, serveTunnel } from './serve-proxy.js';
import { type Connect, connectDirectly } from './upstream.js';

/**
 * An HTTP proxy on a unix socket or on a port of this machine: the only way out of a sandbox without a network. Every request
 * names its target, as `CONNECT host:port` or `GET http://host/`, and is connected when the list has that host and port and its
 * addresses are public. Otherwise 403 with the reason, and 502 when the host does not answer.
 *
 * Names are looked up here, once, and connections go to the checked addresses. Only data that one side has sent and the other
 * has not read yet is kept in memory.
 */
export interface ProxyOptions {
  /** At most 107 bytes: see socket-directory.ts. A free port of 127.0.0.1 when it is left out. */
  readonly socketPath?: string | undefined;
  readonly allow: readonly string[];
  /** Read for every connection, so that a changed list holds at once; `allow` when it is left out. */
  readonly allowNow?: (() => Promise<readonly string[]>) | undefined;
  readonly now: () => number;
  readonly onRefused: (refusal: Refusal) => void;
  /** Called for every connection, before it sends anything. */
  readonly onReached?: (() => void) | undefined;
  readonly limits?: Partial<ProxyLimits> | undefined;
  /** Keys that are put into requests on their way. */
  readonly keys?: KeyGateOptions | undefined;
  readonly resolve?: Resolve | undefined;
  readonly connect?: Connect | undefined;
}

export interface Proxy {
  /** Undefined when it listens on a socket. */
  readonly port: number | undefined;
  /** Closes all connections; idempotent. */
  close(): Promise<void>;
}

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const service = createService(options);
  const { limits } = service;
  const server = createServer(serverOptions(limits));
  server.maxConnections = limits.connections;
  // Otherwise Node would lift the limit of `track` on the second request of a connection.
  server.timeout = limits.idleMs;
  server.on('connection', (socket: Socket) => {
    track(service, socket);
    options.onReached?.();
  });
  server.on('drop', () => service.refuse('', null, 'too-many-connections'));
  // An error caused by one client may end its own connection, but never this process.
  server.on('connect', (message, socket, head) => {
    serveTunnel(service, message, socket as Socket, head).catch(() => socket.destroy());
  });
  server.on('request', (message, answer) => {
    serveForward(service, message, answer).catch(() => answer.destroy());
  });
  await listen(server, options.socketPath);
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { port, close: () => closeAll(server, service) };
}

function createService(options: ProxyOptions): Service {
  return {
    list: createList(options),
    resolve: options.resolve ?? lookUp,
    connect: options.connect ?? connectDirectly,
    limits: { ...USUAL_LIMITS, ...options.limits },
    refuse: (host, port, reason) => refuse(options, { host, port, reason }),
    keyGate: options.keys && createKeyGate(options.keys),
    sockets: new Set(),
  };
}

/** A wrong entry is found before the first connection. */
function createList({ allow, allowNow }: ProxyOptions): Service['list'] {
  const first = parseAllowList(allow);
  return async () => (allowNow ? parseAllowList(await allowNow()) : first);
}

function refuse(
  { now, onRefused }: ProxyOptions,
  refused: { readonly host: string; readonly port: number | null; readonly reason: RefusalReason },
): Refusal {
  const refusal = { at: now(), ...refused };
  onRefused(refusal);
  return refusal;
}

/** Bodies only have an idle timeout: a large one may take long. */
const serverOptions = ({ headerBytes, headerMs }: ProxyLimits): ServerOptions => ({
  maxHeaderSize: headerBytes,
  headersTimeout: headerMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.min(headerMs, 1_000),
});

/** Any user with access to the directory may use the socket: the user inside a container may have another id. */
function listen(server: Server, path: string | undefined): Promise<void> {
  const place =
    path === undefined
      ? { host: '127.0.0.1', port: 0, exclusive: true }
      : { path, readableAll: true, writableAll: true };
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeAll(server: Server, { sockets }: Service): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

import { createServer, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import { parseAllowList } from './allow-list.js';
import { lookUp, type Resolve } from './permission.js';
import { type ProxyLimits, USUAL_LIMITS } from './proxy-limits.js';
import { type Service, track } from './reach.js';
import type { Refusal, RefusalReason } from './refusal.js';
import { serveForward, serveTunnel } from './serve.js';
import { type Connect, connectDirectly } from './upstream.js';

/**
 * A proxy for HTTP on a unix socket: the only way out of a sandbox without a network. Every request says where it wants
 * to go, as `CONNECT host:port` or `GET http://host/`, and gets there when the list has that host and port and its
 * addresses are on the internet. 403 with the reason when not, 502 when nobody answers there.
 *
 * Names are looked up here, once, and connected to at the addresses that were checked. Nothing is kept of what goes
 * through but what one side has sent and the other has not taken yet.
 */
export interface ProxyOptions {
  /** At most 107 bytes: see socket-directory.ts. */
  readonly socketPath: string;
  readonly allow: readonly string[];
  readonly now: () => number;
  readonly onRefused: (refusal: Refusal) => void;
  /** Called with every connection, also before it has said anything. */
  readonly onReached?: (() => void) | undefined;
  readonly limits?: Partial<ProxyLimits> | undefined;
  readonly resolve?: Resolve | undefined;
  readonly connect?: Connect | undefined;
}

export interface Proxy {
  /** Ends all connections; idempotent. */
  close(): Promise<void>;
}

export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const service = createService(options);
  const { limits } = service;
  const server = createServer(serverOptions(limits));
  server.maxConnections = limits.connections;
  // Or Node would lift the limit of `track` with the second request on a connection.
  server.timeout = limits.idleMs;
  server.on('connection', (socket: Socket) => {
    track(service, socket);
    options.onReached?.();
  });
  server.on('drop', () => service.refuse('', null, 'too-many-connections'));
  // Whatever one client brings about must end its own connection, and never this process.
  server.on('connect', (message, socket, head) => {
    serveTunnel(service, message, socket as Socket, head).catch(() => socket.destroy());
  });
  server.on('request', (message, answer) => {
    serveForward(service, message, answer).catch(() => answer.destroy());
  });
  await listen(server, options.socketPath);
  return { close: () => closeAll(server, service) };
}

function createService(options: ProxyOptions): Service {
  return {
    list: parseAllowList(options.allow),
    resolve: options.resolve ?? lookUp,
    connect: options.connect ?? connectDirectly,
    limits: { ...USUAL_LIMITS, ...options.limits },
    refuse: (host, port, reason) => refuse(options, { host, port, reason }),
    sockets: new Set(),
  };
}

function refuse(
  { now, onRefused }: ProxyOptions,
  refused: { readonly host: string; readonly port: number | null; readonly reason: RefusalReason },
): Refusal {
  const refusal = { at: now(), ...refused };
  onRefused(refusal);
  return refusal;
}

/** Of bodies only idleness is limited: a large one may take its time. */
const serverOptions = ({ headerBytes, headerMs }: ProxyLimits): ServerOptions => ({
  maxHeaderSize: headerBytes,
  headersTimeout: headerMs,
  requestTimeout: 0,
  connectionsCheckingInterval: Math.min(headerMs, 1_000),
});

/** Whoever may open the directory may use the socket: the user inside a container may have another number. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, readableAll: true, writableAll: true }, () => {
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

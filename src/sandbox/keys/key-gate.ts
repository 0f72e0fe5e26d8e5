import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { createRedactor } from '../../domain/secret/redactor.js';
import { type ForwardTarget, forward } from '../network/proxy/forward.js';
import { dead, reach, type Service, track } from '../network/proxy/reach-target.js';
import { answerRequest } from '../network/proxy/serve-proxy.js';
import { showable } from '../network/rules/network-refusal.js';
import { parseAuthority, parseHost, type Target } from '../network/rules/network-target.js';
import type { Authority } from './authority.js';
import { changeFor } from './change-requests.js';
import type { HeldKey } from './held-key.js';
import { secureUpstream } from './secure-upstream.js';

/**
 * Puts keys into requests to their hosts. A tunnel to such a host ends here: the client speaks TLS with us, with a certificate
 * of the sandbox's own authority, and we with the host, with the certificates that the machine trusts. Each request is read in
 * full and rewritten, so that host and client can't disagree about where one ends. Responses are searched for the keys: a host
 * that repeats what it was sent leaks none.
 */
export interface KeyGate {
  isFor(target: Target): boolean;
  /** Serves one connection of a client that said CONNECT to such a target. */
  open(service: Service, tunnel: KeyTunnel): void;
}

export interface KeyTunnel {
  readonly client: Socket;
  /** Data that the client already sent after its request. */
  readonly head: Buffer;
  /** Connected; for the first request. */
  readonly upstream: Socket;
  readonly target: Target;
}

export interface KeyGateOptions {
  readonly held: readonly HeldKey[];
  readonly authority: Authority;
  /** The authorities accepted for the hosts' certificates, as PEM. */
  readonly trusted: string;
}

export function createKeyGate({ held, authority, trusted }: KeyGateOptions): KeyGate {
  let context: SecureContext | undefined;
  const redactor = createRedactor();
  redactor.add(held.map(({ value }) => value));
  const keysFor = (target: Target) =>
    held.filter(({ targets }) => targets.some(each => isSame(each, target)));
  return {
    isFor: target => keysFor(target).length > 0,
    open: (service, tunnel) => {
      const { target } = tunnel;
      const client = speakTls(service, tunnel, authority.contextFor(target.host));
      const change = changeFor(keysFor(target), redactor);
      let first: Socket | undefined = tunnel.upstream;
      client.once('close', () => first?.destroy());
      const connect = async () => {
        const given = first;
        first = undefined;
        const reached = given && !given.destroyed ? connected(given) : await reach(service, target);
        if (reached.kind === 'unreached') return reached;
        context ??= createSecureContext({ ca: trusted });
        return secureUpstream(reached.upstream, { target, context, limitMs: service.limits.connectMs });
      };
      const server = createInnerServer(service, async (message, answer) => {
        const refusal = findFault(service, message, target);
        if (refusal) return answerRequest(message, answer, refusal);
        const reached = await connect();
        if (reached.kind === 'unreached') return answerRequest(message, answer, reached);
        const { upstream } = reached;
        if (answer.destroyed) return void upstream.destroy();
        const onward: ForwardTarget = { ...target, path: message.url ?? '/', usualPort: HTTPS };
        const onDead = () => answerRequest(message, answer, dead(target));
        forward({ message, answer, target: onward, upstream, onDead, change });
      });
      client.once('secure', () => {
        if (isRightName(client, target)) server.emit('connection', client);
        else refuseName(service, client, target);
      });
    },
  };
}

const HTTPS = 443;

const isSame = (one: Target, other: Target): boolean => one.host === other.host && one.port === other.port;
const connected = (upstream: Socket) => ({ kind: 'connected', upstream }) as const;

function speakTls(service: Service, { client, head }: KeyTunnel, secureContext: SecureContext): TLSSocket {
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) client.unshift(head);
  const secure = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
  track(service, secure);
  client.once('close', () => secure.destroy());
  secure.once('close', () => client.destroy());
  return secure;
}

/** As in hello-gate.ts: TLS can't name an address. */
function isRightName(client: TLSSocket, { host }: Target): boolean {
  const { servername } = client as TLSSocket & { servername?: string | false | null };
  return servername ? parseHost(servername) === host : isIP(host) !== 0;
}

function refuseName(service: Service, client: TLSSocket, { host, port }: Target): void {
  service.refuse(host, port, 'server-name');
  client.destroy();
}

/** Reads requests off connections that others have accepted. */
function createInnerServer(
  service: Service,
  serve: (message: IncomingMessage, answer: ServerResponse) => Promise<void>,
): Server {
  const { headerBytes, idleMs } = service.limits;
  const server = createServer({ maxHeaderSize: headerBytes, requestTimeout: 0, keepAliveTimeout: idleMs });
  server.timeout = idleMs;
  server.on('request', (message, answer) => {
    serve(message, answer).catch(() => answer.destroy());
  });
  return server;
}

interface Fault {
  readonly status: number;
  readonly reason: string;
}

/** Checks that refuse a request before anything is sent. */
function findFault(service: Service, message: IncomingMessage, target: Target): Fault | undefined {
  const { method = '', url = '', headers } = message;
  // The answer to TRACE is the request itself, with all headers.
  if (method === 'TRACE') return { status: 405, reason: 'TRACE is not allowed' };
  // Codex takes this status as the sign to speak HTTP instead; others print the reason.
  if (/\bwebsocket\b/i.test(headers.upgrade ?? ''))
    return {
      status: 426,
      reason: `WebSockets to ${target.host} are not supported with sandbox.keys: proxy; use HTTP`,
    };
  const coding = headers['transfer-encoding'];
  if (!url.startsWith('/') || (coding !== undefined && coding.toLowerCase() !== 'chunked')) {
    service.refuse(showable(url), null, 'malformed');
    return { status: 400, reason: 'the request is malformed' };
  }
  const host = parseAuthority(headers.host ?? '', HTTPS);
  if (host && isSame(host, target)) return undefined;
  service.refuse(target.host, target.port, 'server-name');
  return { status: 421, reason: `this connection is for ${target.host}` };
}

import type { Socket } from 'node:net';
import type { AllowedHost } from './allow-list.js';
import { type Permission, type Resolve, requestPermission } from './permission.js';
import type { ProxyLimits } from './proxy-limits.js';
import { formatRefusal, type Refusal, type RefusalReason } from './refusal.js';
import { formatTarget, type Target } from './target.js';
import { awaitConnection, type Connect } from './upstream.js';

/** What serving one request of a proxy needs. */
export interface Service {
  readonly list: readonly AllowedHost[];
  readonly resolve: Resolve;
  readonly connect: Connect;
  readonly limits: ProxyLimits;
  /** Makes a refusal known to whoever keeps the log. */
  readonly refuse: (host: string, port: number | null, reason: RefusalReason) => Refusal;
  /** All that are open, of clients and to hosts. */
  readonly sockets: Set<Socket>;
}

export type Reached = { readonly kind: 'connected'; readonly upstream: Socket } | Unreached;

export interface Unreached {
  readonly kind: 'unreached';
  readonly status: 403 | 502;
  readonly reason: string;
}

/** Connects to a target if that is allowed. */
export async function reach(service: Service, target: Target): Promise<Reached> {
  const { list, resolve, connect, limits } = service;
  const permission = await withLimit(requestPermission(list, target, resolve), limits.connectMs);
  if (permission.kind === 'refused') {
    return refused(service.refuse(target.host, target.port, permission.reason));
  }
  if (permission.kind === 'unknown-name') return dead(target);
  const upstream = connect(target, permission.addresses);
  track(service, upstream);
  const isConnected = await awaitConnection(upstream, limits.connectMs);
  return isConnected ? { kind: 'connected', upstream } : dead(target);
}

/** The system's own lookup can't be called off; whatever it says later is for nobody. */
async function withLimit(permission: Promise<Permission>, limitMs: number): Promise<Permission> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Permission>(resolve => {
    timer = setTimeout(() => resolve({ kind: 'unknown-name' }), limitMs);
  });
  try {
    return await Promise.race([permission, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const refused = (refusal: Refusal): Unreached => ({
  kind: 'unreached',
  status: 403,
  reason: formatRefusal(refusal),
});

export const dead = (target: Target): Unreached => ({
  kind: 'unreached',
  status: 502,
  reason: `${formatTarget(target)} can't be reached`,
});

/** Ends with the proxy, and by itself when nothing moves for too long. */
export function track({ sockets, limits }: Service, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.setTimeout(limits.idleMs, () => socket.destroy());
  // A broken connection is told by `close` as well; without a listener it would end this process.
  socket.on('error', () => undefined);
}

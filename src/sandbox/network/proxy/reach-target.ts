import type { Socket } from 'node:net';
import type { KeyGate } from '../../keys/key-gate.js';
import type { AllowedHost } from '../rules/allow-list.js';
import { formatRefusal, type Refusal, type RefusalReason } from '../rules/network-refusal.js';
import { formatTarget, type Target } from '../rules/network-target.js';
import { type Permission, type Resolve, requestPermission } from '../rules/permission.js';
import type { ProxyLimits } from './proxy-limits.js';
import { awaitConnection, type Connect } from './upstream.js';

/** What serving one request of a proxy needs. */
export interface Service {
  readonly list: () => Promise<readonly AllowedHost[]>;
  readonly resolve: Resolve;
  readonly connect: Connect;
  readonly limits: ProxyLimits;
  /** Reports a refusal to the log. */
  readonly refuse: (host: string, port: number | null, reason: RefusalReason) => Refusal;
  /** Handles connections to hosts with keys; undefined without keys. */
  readonly keyGate: KeyGate | undefined;
  /** All open connections, from clients and to hosts. */
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
  const asking = list().then(allowed => requestPermission(allowed, target, resolve));
  const permission = await withLimit(asking, limits.connectMs);
  if (permission.kind === 'refused') {
    return refused(service.refuse(target.host, target.port, permission.reason));
  }
  if (permission.kind === 'unknown-name') return dead(target);
  const upstream = connect(target, permission.addresses);
  track(service, upstream);
  const isConnected = await awaitConnection(upstream, limits.connectMs);
  return isConnected ? { kind: 'connected', upstream } : dead(target);
}

/** The system's lookup can't be cancelled; a late answer is ignored. */
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
  reason: `${formatTarget(target)} is not reachable`,
});

/** Closed with the proxy, and after being idle for too long. */
export function track({ sockets, limits }: Service, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.setTimeout(limits.idleMs, () => socket.destroy());
  // `close` reports a broken connection as well; without this listener the process would crash.
  socket.on('error', () => undefined);
}

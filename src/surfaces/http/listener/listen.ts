import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { carrelError, errnoOf } from '../../../domain/error/error.js';
import type { ServerLimits } from '../security/server-limits.js';

/** A listening server, with Node's protection against slow clients. It has no request handler yet. */
export async function listen(options: {
  readonly host: string;
  readonly port: number;
  readonly limits: ServerLimits;
}): Promise<{ readonly server: Server; readonly port: number }> {
  const { host, port, limits } = options;
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    // How often Node checks for slow clients: 30 seconds by default.
    connectionsCheckingInterval: Math.min(limits.headersMs / 2, 1_000),
  });
  server.maxConnections = limits.connections;
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    throw listenError(host, port, error);
  }
  return { server, port: (server.address() as AddressInfo).port };
}

function listenError(host: string, port: number, error: unknown) {
  const problem = errnoOf(error) ?? 'unknown';
  if (problem === 'EADDRINUSE') return carrelError('PORT_TAKEN', { host, port }, error);
  return carrelError('ADDRESS_UNUSABLE', { host, port, problem }, error);
}

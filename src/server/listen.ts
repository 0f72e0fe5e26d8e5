import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { carrelError, errnoOf } from '../domain/error.js';
import type { ServerLimits } from './limits.js';

/** A server that listens, with Node's own protection against clients that send slowly. Nobody answers yet. */
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
    // How often Node looks for those that are too slow: 30 seconds by default.
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

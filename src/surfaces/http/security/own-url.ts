import { BlockList, isIP } from 'node:net';

/** The address for a browser on this machine of a server that listens on `host`. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * The host name of the dashboard for browsers on this machine, which resolve it without DNS. Its cookies are not sent to
 * other servers on 127.0.0.1 or localhost.
 */
export const DASHBOARD_HOST = 'carrel.localhost';

/** The same address for a browser: with that name if it is this machine. */
export function dashboardUrlOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(hostname)) return url;
  return `${protocol}//${DASHBOARD_HOST}${port === '' ? '' : `:${port}`}`;
}

/** Whether only this machine can reach it. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

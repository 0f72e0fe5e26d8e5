import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type NetworkAccess,
  type NetworkRequest,
  openNetwork,
} from '../../../src/sandbox/network/open-network.js';
import { type SandboxPlace, sandboxPlace } from '../../../src/sandbox/sandbox-place.js';
import { tempDir } from '../temp.js';

/** An internet address that is never connected: see `wire`. */
export const FAR_ADDRESS = '93.184.215.14';

/** A sandbox place with an open network whose hosts are servers on this machine's loopback. */
export interface ClosedNetwork extends NetworkAccess {
  readonly place: SandboxPlace;
  /** Refusals in the log, as `host:port reason`. */
  refused(): string[];
}

export interface ClosedNetworkRequest extends Partial<Pick<NetworkRequest, 'id' | 'limits' | 'resolve'>> {
  readonly allow: readonly string[];
  /** Ports of loopback servers, by the `host:port` that they stand for. */
  readonly servers?: Readonly<Record<string, number>>;
  readonly place?: SandboxPlace;
}

export async function openClosedNetwork(request: ClosedNetworkRequest): Promise<ClosedNetwork> {
  const place = request.place ?? sandboxPlace(tempDir(), 'ws_test');
  const network = await openNetwork({
    place,
    allow: request.allow,
    id: request.id ?? 'op_test',
    now: Date.now,
    limits: request.limits,
    resolve: request.resolve ?? (async () => [FAR_ADDRESS]),
    connect: wire(request.servers ?? {}),
  });
  onTestFinished(network.close);
  return { ...network, place, refused: () => readRefused(place) };
}

/** Goes to a server on loopback instead of to the address that was checked; to one that is not listed, to a dead port. */
export function wire(servers: Readonly<Record<string, number>>): NonNullable<NetworkRequest['connect']> {
  return ({ host, port }) =>
    connect({ host: '127.0.0.1', port: servers[`${host}:${port}`] ?? 1, allowHalfOpen: true });
}

function readRefused({ refusedFile }: SandboxPlace): string[] {
  const lines = readFileSync(refusedFile, 'utf8').trimEnd().split('\n');
  return lines.map(line => {
    const { host, port, reason } = JSON.parse(line);
    return `${host}:${port} ${reason}`;
  });
}

/** Port of a server on loopback that is closed with the test. */
export const serveHttp = (listener: RequestListener): Promise<number> => serve(createServer(listener));

export const serveTcp = (listener: (socket: Socket) => void): Promise<number> =>
  serve(createTcpServer({ allowHalfOpen: true }, listener));

export async function serve(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface InsideOptions {
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Directories that are seen inside at the same path. */
  readonly seen?: readonly string[];
}

/** Runs a command where the machine's programs are and no network but loopback. */
export async function runInside(
  network: ClosedNetwork,
  command: readonly string[],
  options: InsideOptions = {},
): Promise<Ended> {
  const child = startInside(network, command, options);
  // A command that reads nothing may be over by now.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(options.stdin ?? '');
  return ended(child);
}

export function startInside(
  {
    environment,
    place,
  }: { readonly environment?: NetworkAccess['environment']; readonly place: SandboxPlace },
  command: readonly string[],
  options: InsideOptions = {},
): ChildProcess {
  const variables = { PATH: '/usr/bin:/bin', HOME: '/tmp', ...environment, ...options.environment };
  const args = [
    ...['--unshare-all', '--new-session', '--die-with-parent', '--clearenv', '--ro-bind', '/usr', '/usr'],
    ...['bin', 'lib', 'lib64', 'sbin'].flatMap(name => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/run'],
    ...['--ro-bind', place.proxyDir, '/run/carrel/proxy'],
    ...(options.seen ?? []).flatMap(path => ['--bind', path, path]),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--', ...command],
  ];
  const child = spawn('bwrap', args, { stdio: 'pipe', env: { PATH: process.env.PATH } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', chunk => (stdout += chunk));
  child.stderr?.on('data', chunk => (stderr += chunk));
  const [status, signal] = await once(child, 'close');
  return { status, signal, stdout, stderr };
}

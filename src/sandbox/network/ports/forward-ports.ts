import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createDoors, type DoorOptions } from './doors.js';
import { type Client, type Offer, receiveOffer } from './offer.js';

export interface ForwardOptions extends Pick<DoorOptions, 'ports' | 'onTaken' | 'isShared'> {
  /** At most 107 bytes: see socket-directory.ts. */
  readonly socketPath: string;
  readonly limits?: Partial<ForwardLimits> | undefined;
}

export interface ForwardLimits {
  /** Clients at a time. */
  readonly connections: number;
  /** Milliseconds for the relay to connect a client to its server. */
  readonly connectMs: number;
}

const USUAL_LIMITS: ForwardLimits = { connections: 128, connectMs: 5_000 };

/** The relay makes one at a time. */
const MOST_OFFERS = 4;

export interface PortForwarder {
  /** Closes all connections; idempotent. */
  close(): Promise<void>;
}

/**
 * Makes servers inside a sandbox reachable on the same ports of this machine's 127.0.0.1, while they listen.
 *
 * Nothing here connects to anything, so no process inside can make it reach another place. The relay inside connects to
 * a socket that it sees in a read-only directory, and reports on this connection, the offer, which ports have a server. A
 * client of such a port takes the offer, and the relay connects it to the server and makes the next offer. A process
 * inside that makes offers itself gets what it would get by listening: clients of these ports.
 */
export async function forwardPorts({
  socketPath,
  limits: given,
  ...options
}: ForwardOptions): Promise<PortForwarder> {
  const limits = { ...USUAL_LIMITS, ...given };
  const clients = new Set<Socket>();
  const fromInside = new Set<Socket>();
  const offers: Offer[] = [];
  const waiting: WaitingClient[] = [];

  const doors = createDoors({
    ...options,
    onClient(socket, port) {
      keep(clients, socket);
      if (clients.size > limits.connections) return void socket.resetAndDestroy();
      const timer = setTimeout(() => socket.resetAndDestroy(), limits.connectMs);
      const client = { socket, port, onJoined: () => clearTimeout(timer) };
      waiting.push(client);
      socket.once('close', () => {
        clearTimeout(timer);
        remove(waiting, client);
      });
      match();
    },
  });

  const server = createServer({ allowHalfOpen: true }, socket => {
    keep(fromInside, socket);
    if (offers.length >= MOST_OFFERS) return void socket.destroy();
    const offer = receiveOffer(socket, list => doors.want(list.split(',').map(Number)));
    offers.push(offer);
    socket.once('close', () => remove(offers, offer));
    match();
  });
  server.maxConnections = limits.connections + MOST_OFFERS;

  function match(): void {
    for (;;) {
      const [offer, client] = [offers[0], waiting[0]];
      if (!offer || !client) return;
      offers.shift();
      waiting.shift();
      offer.take(client, client.onJoined);
    }
  }

  // The user inside a container may have another id.
  server.listen({ path: socketPath, readableAll: true, writableAll: true });
  await once(server, 'listening');
  let closed: Promise<void> | undefined;
  const close = () =>
    new Promise<void>(resolve => {
      doors.close();
      server.close(() => resolve());
      for (const socket of [...clients, ...fromInside]) socket.destroy();
    });
  return { close: () => (closed ??= close()) };
}

interface WaitingClient extends Client {
  readonly onJoined: () => void;
}

function keep(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  // An error of one connection ends that one, and never this process.
  socket.on('error', () => undefined);
  socket.once('close', () => sockets.delete(socket));
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}

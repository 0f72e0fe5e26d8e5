import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A way to the database that can be cut, and whose delayed bytes arrive afterwards. */
export interface PausableProxy {
  /** The URL of the same database through this proxy. */
  readonly url: string;
  /** Nothing passes in either direction, and no connection breaks. */
  pause(): void;
  /** What was sent in the meantime arrives now, or every connection of before breaks. */
  resume(how: 'deliver' | 'break'): void;
  close(): Promise<void>;
}

/** In front of a PostgreSQL on a socket: `postgres://user@localhost/database?host=DIRECTORY`. */
export async function startPausableProxy(target: string): Promise<PausableProxy> {
  const { searchParams, pathname, username } = new URL(target);
  const socket = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const open = new Set<Socket>();
  let isPaused = false;
  const track = (one: Socket, other: Socket) => {
    open.add(one);
    one.on('error', () => undefined);
    one.on('close', () => {
      open.delete(one);
      other.destroy();
    });
    one.pipe(other);
    if (isPaused) one.unpipe(other).pause();
  };
  const server = createServer(client => {
    const upstream = connect(socket);
    partners.set(client, upstream).set(upstream, client);
    track(client, upstream);
    track(upstream, client);
  });
  const partners = new WeakMap<Socket, Socket>();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    pause: () => {
      isPaused = true;
      for (const one of open) one.unpipe().pause();
    },
    resume: how => {
      isPaused = false;
      for (const one of open) {
        const partner = partners.get(one);
        if (how === 'break' || !partner) one.destroy();
        else one.pipe(partner);
      }
    },
    close: async () => {
      for (const one of open) one.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

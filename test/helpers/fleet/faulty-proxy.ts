import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the proxy does with new connections, and with what it passes on. */
export type Fault =
  | { readonly kind: 'none' }
  /** Every connection is closed at once. */
  | { readonly kind: 'away' }
  /** Connections are accepted, and nothing is answered. */
  | { readonly kind: 'stalled' }
  /** The next connection breaks after that many bytes in one direction; the ones after it work. */
  | { readonly kind: 'cut'; readonly direction: 'up' | 'down'; readonly bytes: number };

export interface FaultyProxy {
  readonly port: number;
  fault: Fault;
  /** Bytes that were passed to the server. */
  sent(): number;
  /** Bytes that were passed to the clients. */
  received(): number;
}

/** Passes on connections to a port of this machine, as long as no fault is set. */
export async function startFaultyProxy(target: number): Promise<FaultyProxy> {
  const open = new Set<Socket>();
  const counts = { up: 0, down: 0 };
  const server = createServer(client => {
    const { fault } = proxy;
    track(client);
    if (fault.kind === 'away') return client.destroy();
    if (fault.kind === 'stalled') return client.resume();
    if (fault.kind === 'cut') proxy.fault = { kind: 'none' };
    const upstream = connect(target, '127.0.0.1');
    track(upstream);
    const both = () => {
      client.destroy();
      upstream.destroy();
    };
    const pass = (from: Socket, to: Socket, direction: 'up' | 'down') => {
      let passed = 0;
      from.on('data', (chunk: Buffer) => {
        const left =
          fault.kind === 'cut' && fault.direction === direction ? fault.bytes - passed : chunk.length;
        const part = chunk.subarray(0, Math.max(0, left));
        passed += part.length;
        counts[direction] += part.length;
        to.write(part);
        if (part.length < chunk.length) to.end(both);
      });
      from.on('end', () => to.end());
      from.on('error', both);
    };
    pass(client, upstream, 'up');
    pass(upstream, client, 'down');
    return undefined;
  });
  const track = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
  };
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  });
  const proxy: FaultyProxy = {
    port: (server.address() as AddressInfo).port,
    fault: { kind: 'none' },
    sent: () => counts.up,
    received: () => counts.down,
  };
  return proxy;
}

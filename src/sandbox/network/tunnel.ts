import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { createHelloGate } from './hello-gate.js';
import type { Target } from './target.js';

export interface TunnelRequest {
  readonly client: Socket;
  /** What the client sent after its request already. */
  readonly head: Buffer;
  readonly upstream: Socket;
  readonly target: Target;
  /** Called when another host is asked for inside the tunnel. */
  readonly onRefused: () => void;
}

/** Joins a client that said CONNECT to the connected host, until both have ended or either breaks. */
export function openTunnel({ client, head, upstream, target, onRefused }: TunnelRequest): void {
  const gate = createHelloGate(target, () => {
    onRefused();
    client.write(UNRECOGNIZED_NAME);
  });
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (head.length > 0) client.unshift(head);
  pipeline(client, gate, upstream, endBoth);
  pipeline(upstream, client, endBoth);

  function endBoth(error: Error | null | undefined): void {
    if (!error) return;
    client.destroy();
    upstream.destroy();
  }
}

/** A fatal alert of TLS, so that the client says more than that the connection broke. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

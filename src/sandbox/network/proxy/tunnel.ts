import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Target } from '../rules/network-target.js';
import { createHelloGate } from './hello-gate.js';

export interface TunnelRequest {
  readonly client: Socket;
  /** Data that the client already sent after its request. */
  readonly head: Buffer;
  readonly upstream: Socket;
  readonly target: Target;
  /** Called when the tunnel names another host. */
  readonly onRefused: () => void;
}

/** Joins a client that said CONNECT to the connected host, until both have closed or either fails. */
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

/** A fatal TLS alert, so that the client reports more than a broken connection. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

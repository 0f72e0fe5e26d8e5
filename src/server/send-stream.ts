import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/** Whether an answer goes on for as long as the client listens. */
export const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * Sends a stream of events, and gives what tells the adapter that it need not. By itself it would make one chain of promises
 * of all reads of an answer (@hono/node-server 2.1.6), which lasts until the answer ends: about a hundred bytes for every
 * event and client.
 */
export function sendStream(response: Response, outgoing: ServerResponse): Response {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  // A client that goes in the middle is no failure, and there is nobody left to tell of another.
  pipeline(body, outgoing).catch(() => undefined);
  return RESPONSE_ALREADY_SENT;
}

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';

/** Whether an answer lasts as long as the client listens. */
export const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * Sends a stream of events, and returns a response that the adapter does not send again. The adapter itself
 * (@hono/node-server 2.1.6) chains a promise for each read until the answer ends: about a hundred bytes for every event
 * and client.
 */
export function sendStream(response: Response, outgoing: ServerResponse): Response {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  // A pipeline listens for `close` several times; together with the adapter, Node would warn of a leak.
  outgoing.setMaxListeners(20);
  const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
  // A client that disconnects is not a failure, and other failures cannot be sent any more.
  pipeline(body, outgoing).catch(() => undefined);
  return RESPONSE_ALREADY_SENT;
}

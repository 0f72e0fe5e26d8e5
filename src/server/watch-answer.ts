import { carrelError } from '../domain/error.js';
import type { ApiContext } from './api.js';
import type { Gate } from './gate.js';
import { problemResponse } from './problem-response.js';
import { isEventStream } from './send-stream.js';

/**
 * Looks after an answer on its way to the client: one that is not taken for a while is cut off, and there are only so
 * many streams. Node's own timeouts end with the last byte of the request.
 */
export function watchAnswer(c: ApiContext, gate: Gate, stopping: AbortSignal): void {
  const { incoming, outgoing } = c.env;
  // Nobody reads it, and the adapter does not tell what makes it.
  if (c.req.method === 'HEAD' || outgoing.destroyed) void c.res.body?.cancel();
  else if (isEventStream(c.res)) countStream(c, gate);
  // Set back by Node when the answer is complete and the connection waits for another request.
  incoming.socket.setTimeout(gate.limits.stalledMs);
  if (stopping.aborted) c.res.headers.set('connection', 'close');
}

function countStream(c: ApiContext, { streams, limits }: Gate): void {
  const leave = streams.enter();
  if (leave) c.env.outgoing.once('close', leave);
  else refuseStream(c, limits.streams);
}

function refuseStream(c: ApiContext, limit: number): void {
  void c.res.body?.cancel();
  c.res = undefined;
  c.res = problemResponse(c, carrelError('TOO_MANY_STREAMS', { limit }));
}

import { carrelError } from '../../../domain/error/error.js';
import type { ApiContext } from '../api.js';
import { problemResponse } from '../responses/problem-response.js';
import { isEventStream } from '../responses/send-stream.js';
import type { Gate } from './request-gate.js';

/**
 * Watches an answer while it is sent: one that the client does not read for a while is aborted, and the number of streams
 * is limited. Node's own timeouts only cover the request.
 */
export function watchAnswer(c: ApiContext, gate: Gate, stopping: AbortSignal): void {
  const { incoming, outgoing } = c.env;
  // The body is never read, and the adapter does not cancel it.
  if (c.req.method === 'HEAD' || outgoing.destroyed) void c.res.body?.cancel();
  else if (isEventStream(c.res)) countStream(c, gate);
  // Node resets it when the answer is complete and the connection waits for the next request.
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

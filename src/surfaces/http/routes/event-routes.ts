import { createRoute, z } from '@hono/zod-openapi';
import { findTask } from '../../../task/record/find-task.js';
import type { AddRoutes } from '../api.js';
import { lastEventHeader, readLastId } from '../events/last-event-id.js';
import { END, type SentEvent, sendEvents } from '../events/server-sent-events.js';
import { problemAnswers, textAnswer } from '../responses/route-responses.js';
import type { ServerContext } from '../server-context.js';

const followEvents = createRoute({
  method: 'get',
  path: '/api/events',
  operationId: 'followEvents',
  tags: ['events'],
  summary: 'Follow the events of all processes as Server-Sent Events',
  description:
    'Each message has the sequence of an event as its id, its type, and the event as JSON. A new connection continues after the id in `Last-Event-ID`. Without one, the stream starts with new events, or with the first event of the task. The stream of a task ends with a message of the type `end`.',
  request: {
    query: z.object({
      task: z.string().min(1).optional().describe('id of a task: only its events, until it stops'),
      after: z.coerce.number().int().min(0).optional().describe('the sequence of the last received event'),
    }),
    headers: lastEventHeader,
  },
  responses: {
    200: textAnswer('text/event-stream', 'events, as they happen'),
    ...problemAnswers(400, 404),
  },
});

export const addEventRoutes: AddRoutes = (api, server) => {
  api.openapi(followEvents, async c => {
    const { task, after } = c.req.valid('query');
    const taskId = task === undefined ? undefined : (await findTask(server.app, task)).id;
    const seen = readLastId(c.req.valid('header')) ?? after;
    const start = seen ?? (taskId === undefined ? await server.app.store.events.last() : 0);
    // The types of zod-openapi do not support streams.
    return sendEvents(server, signal => eventsOf(server, start, taskId, signal)) as never;
  });
};

async function* eventsOf(
  { events }: ServerContext,
  after: number,
  taskId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SentEvent, void, void> {
  // The start position, so that a client can continue from here even if its connection breaks before the first event.
  yield { id: after };
  for await (const event of events.follow({ after, taskId, signal }))
    yield { id: event.sequence, event: event.type, data: event };
  if (!signal.aborted) yield END;
}

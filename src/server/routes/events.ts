import { createRoute, z } from '@hono/zod-openapi';
import { findTask } from '../../task/find-task.js';
import type { AddRoutes } from '../api.js';
import { lastEventHeader, readLastId } from '../last-event-id.js';
import { problemAnswers, textAnswer } from '../route-answers.js';
import type { ServerContext } from '../server-context.js';
import { END, type SentEvent, sendEvents } from '../server-sent-events.js';

const followEvents = createRoute({
  method: 'get',
  path: '/api/events',
  operationId: 'followEvents',
  tags: ['events'],
  summary: 'Follow what happens, from all processes, as Server-Sent Events',
  description:
    'Each message has the sequence of an event as its id, its type, and the event as JSON. A connection that breaks goes on after the last id that it names; without one it begins with what happens from now on, or with the first event of the task. The stream of a task ends with a message of the type `end`.',
  request: {
    query: z.object({
      task: z.string().min(1).optional().describe('id of a task: its events only, until it has ended'),
      after: z.coerce.number().int().min(0).optional().describe('the last sequence that was seen'),
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
    // The types of zod-openapi know no answers that are streams.
    return sendEvents(server, signal => eventsOf(server, start, taskId, signal)) as never;
  });
};

async function* eventsOf(
  { events }: ServerContext,
  after: number,
  taskId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<SentEvent, void, void> {
  // Where it begins, so that a client goes on from here also when its connection breaks before anything happens.
  yield { id: after };
  for await (const event of events.follow({ after, taskId, signal }))
    yield { id: event.sequence, event: event.type, data: event };
  if (!signal.aborted) yield END;
}

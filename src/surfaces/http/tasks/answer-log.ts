import { z } from '@hono/zod-openapi';
import { LogLineSchema } from '../../../domain/task/log-line.js';
import type { LogTaskRequest } from '../../../task/log/log.operation.js';
import { lastEventHeader, readLastId } from '../events/last-event-id.js';
import type { Answer, OwnDescription } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';
import { followLog, sendLog } from './send-task-log.js';

export const describeLog: OwnDescription = {
  description:
    'With `Accept: application/x-ndjson`, one JSON document per line. With `follow`, Server-Sent Events: a message has the line number as its id and the line as JSON; a new connection continues after the id in `Last-Event-ID`.',
  headers: lastEventHeader.extend({ accept: z.string().optional() }),
  content: {
    'application/json': { schema: z.array(LogLineSchema) },
    'application/x-ndjson': { schema: z.string() },
    'text/event-stream': { schema: z.string() },
  },
};

export const answerLog =
  (server: ServerContext): Answer =>
  async ({ input }, c) => {
    const { task, follow = false, tail } = input as LogTaskRequest;
    const headers = c.req.valid('header' as never) as Readonly<Record<string, string | undefined>>;
    if (follow) return followLog(server, task, readLastId(headers) ?? 0);
    const form = headers.accept?.includes('application/x-ndjson') ? 'lines' : 'json';
    return sendLog(server, task, form, tail);
  };

import { stripVTControlCharacters } from 'node:util';
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { readLog } from '../../../task/log/read-log.js';
import { listTasks } from '../../../task/record/list-tasks.js';
import type { Connection } from '../connection/agent-connection.js';
import { requireOwnTask } from '../connection/require-own.js';
import { listResources, MOST_BYTES, type Reading, readResource } from './read-resource.js';

const LOG_TYPE = 'text/plain';

/** Logs of older tasks can be read, but are not listed. */
const MOST_LISTED = 50;

export const logUri = (id: string): string => `carrel://tasks/${id}/log`;

export function addTaskLogs(server: McpServer, connection: Connection): void {
  const template = new ResourceTemplate(logUri('{id}'), {
    list: request =>
      listResources(connection, request, async ({ context, directory }) => {
        const tasks = await listTasks(context, { repository: directory });
        return tasks
          .slice(-MOST_LISTED)
          .toReversed()
          .map(({ id }) => ({ uri: logUri(id), name: `log of ${id}`, mimeType: LOG_TYPE }));
      }),
  });
  const config = {
    title: 'Log of a task',
    description: 'The log of a task and its agents so far.',
    mimeType: LOG_TYPE,
  };
  server.registerResource('task-log', template, config, (uri, { id }, request) =>
    readResource(connection, uri, request, LOG_TYPE, async reading => {
      const task = await requireOwnTask(reading, String(id));
      return readText(reading, task.id);
    }),
  );
}

/** Only the end of a long log. */
async function readText({ context, signal }: Reading, id: string): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  let isCut = false;
  for await (const { at, stage, stream, text } of readLog(context, { id, signal })) {
    const line = stripVTControlCharacters(`${at} ${stage ?? 'task'} ${stream}: ${text}`);
    lines.push(line);
    length += line.length + 1;
    while (length > MOST_BYTES && lines.length > 1) {
      length -= (lines.shift() as string).length + 1;
      isCut = true;
    }
  }
  const whole = `${lines.join('\n')}\n`;
  return isCut ? `[only the end; print the whole log with: carrel task logs ${id}]\n${whole}` : whole;
}

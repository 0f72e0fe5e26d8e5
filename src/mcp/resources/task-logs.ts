import { stripVTControlCharacters } from 'node:util';
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { listTasks } from '../../task/list-tasks.js';
import { readLog } from '../../task/read-log.js';
import type { Desk } from '../desk.js';
import { requireOwnTask } from '../own.js';
import { listResources, MOST_BYTES, type Reading, readResource } from './read-resource.js';

const LOG_TYPE = 'text/plain';

/** Older ones can be read, but are not listed. */
const MOST_LISTED = 50;

export const logUri = (id: string): string => `carrel://tasks/${id}/log`;

export function addTaskLogs(server: McpServer, desk: Desk): void {
  const template = new ResourceTemplate(logUri('{id}'), {
    list: request =>
      listResources(desk, request, async ({ context, directory }) => {
        const tasks = await listTasks(context, { repository: directory });
        return tasks
          .slice(-MOST_LISTED)
          .toReversed()
          .map(({ id }) => ({ uri: logUri(id), name: `log of ${id}`, mimeType: LOG_TYPE }));
      }),
  });
  const config = {
    title: 'Log of a task',
    description: 'What a task and its agents have told so far.',
    mimeType: LOG_TYPE,
  };
  server.registerResource('task-log', template, config, (uri, { id }, request) =>
    readResource(desk, uri, request, LOG_TYPE, async reading => {
      const task = await requireOwnTask(reading, String(id));
      return readText(reading, task.id);
    }),
  );
}

/** The end of a long one. */
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
  return isCut ? `[cut off: the last of it; carrel task logs ${id} prints all]\n${whole}` : whole;
}

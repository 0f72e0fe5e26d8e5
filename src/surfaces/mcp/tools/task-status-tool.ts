import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { LogLine } from '../../../domain/task/log-line.js';
import { TaskSchema } from '../../../domain/task/task.js';
import { readLog } from '../../../task/log/read-log.js';
import { showTask } from '../../../task/record/show-task.js';
import type { Call } from '../connection/agent-connection.js';
import { logUri } from '../resources/task-log-resource.js';
import type { OwnTool } from './own-tool.js';

/** The task with the end of its log: an agent does not see it running. */
export const taskStatus = {
  output: z.object({ task: TaskSchema, log: z.array(z.string()) }),
  run: async (input, call) => {
    const { task: id, logLines } = input as { readonly task: string; readonly logLines: number };
    const task = await showTask(call.context, { id });
    const log = await readLastLines(call, id, logLines);
    const link = { uri: logUri(id), name: `log of ${id}`, mimeType: 'text/plain' };
    return { value: { task, log }, link };
  },
} satisfies OwnTool;

async function readLastLines({ context, signal }: Call, id: string, count: number): Promise<string[]> {
  const last: LogLine[] = [];
  for await (const line of readLog(context, { id, signal })) {
    if (line.isForPrograms) continue;
    last.push(line);
    if (last.length > count) last.shift();
  }
  return last.map(({ stage, stream, text }) =>
    stripVTControlCharacters(`${stage ?? 'task'} ${stream}: ${text}`),
  );
}

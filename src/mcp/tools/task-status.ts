import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { LogLine } from '../../domain/log-line.js';
import { TaskSchema } from '../../domain/task.js';
import { readLog } from '../../task/read-log.js';
import { describeTask } from '../../task/show-task.js';
import type { Call } from '../desk.js';
import { requireOwnTask } from '../own.js';
import { logUri } from '../resources/task-logs.js';
import { defineTool } from '../tool.js';
import { taskWord } from '../words.js';

export const taskStatus = defineTool({
  name: 'task_status',
  title: 'Show how a task goes',
  description:
    'Shows a task with its stages, its validation and where its work is, and the last lines of its log. The resource that the answer links to has the whole log.',
  input: z.object({
    task: taskWord,
    logLines: z.int().min(0).max(1000).default(20).describe('how many of the last lines of its log'),
  }),
  output: z.object({ task: TaskSchema, log: z.array(z.string()) }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  run: async ({ task: id, logLines }, call) => {
    const record = await requireOwnTask(call, id);
    const task = await describeTask(call.context, record);
    const log = await readLastLines(call, record.id, logLines);
    const link = { uri: logUri(record.id), name: `log of ${record.id}`, mimeType: 'text/plain' };
    return { value: { task, log }, link };
  },
});

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

import { z } from 'zod';
import { TaskSchema } from '../../domain/task.js';
import { cancelTask } from '../../task/cancel-task.js';
import { requireOwnTask } from '../own.js';
import { defineTool } from '../tool.js';
import { taskWord } from '../words.js';

export const taskCancel = defineTool({
  name: 'task_cancel',
  title: 'Cancel a task',
  description: 'Ends a task and all that it started. Its work is kept in its workspace.',
  input: z.object({ task: taskWord }),
  output: TaskSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  run: async ({ task }, call) => {
    const { id } = await requireOwnTask(call, task);
    return { value: await cancelTask(call.context, { id, signal: call.signal }) };
  },
});

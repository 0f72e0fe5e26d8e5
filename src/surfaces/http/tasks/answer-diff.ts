import { diffTask } from '../../../task/delivery/diff-task.js';
import { findTask } from '../../../task/record/find-task.js';
import { streamOutput } from '../responses/stream-output.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';

/** Streamed: a patch may be large. */
export const answerDiff =
  ({ app }: ServerContext): Answer =>
  async ({ input }, c) => {
    const task = await findTask(app, input.task as string);
    const patch = await streamOutput(write => diffTask(app, task, write));
    return c.body(patch, 200, { 'content-type': 'text/x-diff; charset=utf-8' });
  };

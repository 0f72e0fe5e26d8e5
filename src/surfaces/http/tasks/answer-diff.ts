import { diffTask } from '../../../task/delivery/diff-task.js';
import { findCurrentTask } from '../../../task/record/current-task.js';
import { streamOutput } from '../responses/stream-output.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';

/** Streamed: a patch may be large. */
export const answerDiff =
  ({ app }: ServerContext): Answer =>
  async ({ input }, c) => {
    const task = await findCurrentTask(app, input.task as string);
    const patch = await streamOutput(write => diffTask(app, task, write));
    return c.body(patch, 200, { 'content-type': 'text/x-diff; charset=utf-8' });
  };

import { readRun } from '../../../batch/record/run-store.js';
import { type AttemptName, readAttemptPatch } from '../../../batch/report/attempt-files/attempt-file.js';
import { exportRun } from '../../../batch/report/export-run.js';
import { reportPolicy } from '../../../batch/report/html/write-html.js';
import { streamOutput } from '../responses/stream-output.js';
import type { Answer } from '../routes/own-answers.js';
import type { ServerContext } from '../server-context.js';

/** As bytes: a patch need not be UTF-8. */
export const answerPatch =
  ({ app }: ServerContext): Answer =>
  async ({ input }, c) => {
    const patch = await readAttemptPatch(app, input as unknown as AttemptName);
    return c.body(new Uint8Array(patch), 200, { 'content-type': 'text/x-diff' });
  };

/** Streamed: a page may be large. Its scripts and styles are those of the page alone. */
export const answerReport =
  (): Answer =>
  async ({ input }, c) => {
    const run = await readRun(input.run as string);
    const page = await streamOutput(write => exportRun(run, 'html', text => write(Buffer.from(text))));
    return c.body(page, 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${reportPolicy()}; frame-ancestors 'none'`,
    });
  };

import { Worker } from 'node:worker_threads';

/** A file of 16 MiB takes a fraction of it with a reasonable pattern. */
const LIMIT_MS = 10_000;

/**
 * The number of the first line that matches a regular expression; undefined when there is none. Some patterns take years for a line of fifty
 * characters, so it runs in a separate thread with a timeout.
 */
export function findPattern(
  text: string,
  pattern: string,
  signal?: AbortSignal,
  limitMs = LIMIT_MS,
): Promise<number | undefined | 'gave-up'> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: { text, pattern } });
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      worker.terminate().then(action, reject);
    };
    const giveUp = (): void => settle(() => resolve('gave-up'));
    const timer = setTimeout(giveUp, limitMs);
    signal?.addEventListener('abort', giveUp);
    worker.once('message', (line: number) => settle(() => resolve(line === 0 ? undefined : line)));
    worker.once('error', error => settle(() => reject(error)));
    if (signal?.aborted) giveUp();
  });
}

// As text, because the CLI is a single file. Flags as domain/workflow/validation.ts has them.
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const expression = new RegExp(workerData.pattern, 'mu');
parentPort.postMessage(workerData.text.split(/\\r?\\n/).findIndex(line => expression.test(line)) + 1);
`;

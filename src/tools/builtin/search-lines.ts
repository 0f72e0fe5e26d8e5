import { Worker } from 'node:worker_threads';

export interface LineSearch {
  /** Lines of a text that match the expression, at most `most`; 'gave-up' once the time limit is reached. */
  search(text: string, most: number): Promise<readonly FoundLine[] | 'gave-up'>;
  close(): Promise<void>;
}

export interface FoundLine {
  /** From 1 on. */
  readonly line: number;
  readonly text: string;
}

/** Some expressions take years for a line of fifty characters, so they run in a separate thread, which can be terminated. */
export function createLineSearch(
  expression: RegExp,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
): LineSearch {
  const worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData: { expression } });
  let giveUp = (): void => undefined;
  const over = new Promise<'gave-up'>(resolve => {
    giveUp = () => resolve('gave-up');
  });
  const timer = setTimeout(giveUp, limitMs);
  signal?.addEventListener('abort', giveUp);
  return {
    search: (text, most) => {
      const found = new Promise<readonly FoundLine[]>((resolve, reject) => {
        worker.removeAllListeners().once('message', resolve).once('error', reject);
      });
      worker.postMessage({ text, most });
      return Promise.race([found, over]);
    },
    close: async () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      await worker.terminate();
    },
  };
}

const MOST_CHARACTERS = 400;

// As text, because the command line is bundled into one file.
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
parentPort.on('message', ({ text, most }) => {
  const found = [];
  const lines = text.split(/\\r?\\n/);
  if (lines.at(-1) === '') lines.pop();
  for (let index = 0; index < lines.length && found.length < most; index++)
    if (workerData.expression.test(lines[index]))
      found.push({ line: index + 1, text: lines[index].slice(0, ${MOST_CHARACTERS}) });
  parentPort.postMessage(found);
});
`;

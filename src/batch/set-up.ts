import type { EvalItem } from '../domain/eval-item.js';
import { createOutputTail } from '../workspace/output-tail.js';
import type { TaskEnvironment } from './isolation-provider.js';

/** One setup command that takes longer hangs. */
const LIMIT_MS = 10 * 60_000;

/** Runs a task's setup commands; gives why it could not be prepared, or undefined. */
export async function setUp(
  environment: TaskEnvironment,
  { setup = [], environment: variables }: Pick<EvalItem, 'setup' | 'environment'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const command of setup) {
    const tail = createOutputTail();
    const result = await environment.run({
      command: ['sh', '-c', command],
      environment: variables,
      timeoutMs: LIMIT_MS,
      signal,
      maxOutputBytes: 64 * 1024,
      onOutput: (_stream, chunk) => tail.add(chunk),
    });
    if (result.exitCode === 0 || result.cancelled) continue;
    const how = result.timedOut
      ? 'did not end in 10 minutes'
      : `ended with exit status ${result.exitCode ?? 'none'}`;
    return `the setup command ${JSON.stringify(command)} ${how}; expected 0\n${tail.text()}`.trimEnd();
  }
  return undefined;
}

import type { EvalItem } from '../domain/eval-item.js';
import { formatDuration, parseDuration } from '../domain/quantity.js';
import { createOutputTail } from '../workspace/output-tail.js';
import type { TaskEnvironment } from './isolation-provider.js';

/** One setup command that takes longer hangs, where the task does not say otherwise. */
const LIMIT_MS = 10 * 60_000;

export interface SetupProblem {
  readonly message: string;
  /** Null when the command was ended: it took too long, or a signal came. */
  readonly exitCode: number | null;
}

/** Runs a task's setup commands; gives why it could not be prepared, or undefined. */
export async function setUp(
  environment: TaskEnvironment,
  { setup = [], setupTimeout, environment: variables }: SetUpItem,
  signal: AbortSignal,
): Promise<SetupProblem | undefined> {
  const timeoutMs = setupTimeout === undefined ? LIMIT_MS : parseDuration(setupTimeout);
  for (const command of setup) {
    const tail = createOutputTail();
    const result = await environment.run({
      command: ['sh', '-c', command],
      environment: variables,
      timeoutMs,
      signal,
      maxOutputBytes: 64 * 1024,
      onOutput: (_stream, chunk) => tail.add(chunk),
    });
    if (result.exitCode === 0 || result.cancelled) continue;
    const how = result.timedOut
      ? `did not end within ${formatDuration(timeoutMs)}`
      : `ended with exit status ${result.exitCode ?? 'none'}`;
    const words = `the setup command ${JSON.stringify(command)} ${how}; expected 0`;
    return {
      message: `${words}\n${tail.text()}`.trimEnd(),
      exitCode: result.timedOut ? null : result.exitCode,
    };
  }
  return undefined;
}

type SetUpItem = Pick<EvalItem, 'setup' | 'setupTimeout' | 'environment'>;

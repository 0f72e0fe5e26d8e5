import { runFollowed } from '../../attempt/run-followed.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import type { CommandResult } from '../../domain/command/command.js';
import type { Environment } from '../../domain/command/environment.js';
import { parseDuration } from '../../domain/quantity/quantity.js';
import { formatDuration } from '../../domain/text/format-quantity.js';

/** Default time limit of one setup command. */
const LIMIT_MS = 10 * 60_000;

/** Its exit status is null when the command was killed: it timed out, or the signal was aborted. */
export interface SetupProblem extends Pick<CommandResult, 'exitCode'> {
  readonly message: string;
}

/** Runs a task's setup commands; returns why setup failed, or undefined. */
export async function setUp(
  environment: Environment,
  { setup = [], setupTimeout, environment: variables }: SetUpItem,
  signal: AbortSignal,
): Promise<SetupProblem | undefined> {
  const timeoutMs = setupTimeout === undefined ? LIMIT_MS : parseDuration(setupTimeout);
  for (const command of setup) {
    const { result, tail } = await runFollowed(
      environment,
      {
        command: ['sh', '-c', command],
        environment: variables,
        timeoutMs,
        signal,
        maxOutputBytes: 64 * 1024,
      },
      {},
    );
    if (result.exitCode === 0 || result.cancelled) continue;
    const how = result.timedOut
      ? `did not finish within ${formatDuration(timeoutMs)}`
      : `failed with exit status ${result.exitCode ?? 'none'}`;
    const words = `the setup command ${JSON.stringify(command)} ${how}; expected 0`;
    return {
      message: `${words}\n${tail}`.trimEnd(),
      exitCode: result.timedOut ? null : result.exitCode,
    };
  }
  return undefined;
}

type SetUpItem = Pick<EvalItem, 'setup' | 'setupTimeout' | 'environment'>;

import { findPreset } from '../../agent/presets.js';
import { carrelError } from '../../domain/error/error.js';
import type { ResolvedAgent } from '../../domain/task/task.js';
import { commandEnvironment } from '../../exec/command-environment.js';
import { findProgramIn } from '../../exec/find-program.js';
import { runProcess } from '../../exec/run-process.js';
import type { Context } from '../../operations/context.js';

const LIMIT_MS = 10_000;

/**
 * What the program of a preset prints for `--version`, for the record; null when it prints nothing. Other commands are not
 * run with it: they may not know that argument. PROGRAM_NOT_INSTALLED.
 */
export async function findVersion(
  context: Pick<Context, 'environment' | 'places'>,
  agent: ResolvedAgent,
): Promise<string | null> {
  if (agent.program.kind !== 'preset') return null;
  const { program, install } = findPreset(agent.program.preset);
  const { cacheDir, stateDir, temporaryRoot } = context.places;
  const env = commandEnvironment(context.environment, { directory: temporaryRoot }, agent.environment);
  const command = findProgramIn(env.PATH ?? '', program, [cacheDir, stateDir]);
  if (command === undefined)
    throw carrelError('PROGRAM_NOT_INSTALLED', { agent: agent.name, program, install, isInside: false });
  const { exitCode, stdout } = await runProcess({
    command,
    args: ['--version'],
    cwd: temporaryRoot,
    env,
    stdin: '',
    timeoutMs: LIMIT_MS,
    maxOutputBytes: 10_000,
  });
  const [line = ''] = stdout.toString().trim().split('\n');
  return exitCode === 0 && line !== '' ? line.slice(0, 100) : null;
}

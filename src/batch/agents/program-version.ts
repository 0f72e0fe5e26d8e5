import { findPreset } from '../../agent/presets.js';
import { carrelError } from '../../domain/error.js';
import type { ResolvedAgent } from '../../domain/task.js';
import { commandEnvironment } from '../../exec/environment.js';
import { findProgramIn } from '../../exec/find-program.js';
import { runProcess } from '../../exec/run.js';
import type { Context } from '../../operations/context.js';

const LIMIT_MS = 10_000;

/**
 * What the program of a preset says to `--version`, for the record; null when it says nothing. Other commands are not
 * asked: what they make of such an argument is not known. PROGRAM_NOT_INSTALLED.
 */
export async function findVersion(context: Context, agent: ResolvedAgent): Promise<string | null> {
  if (agent.program.kind !== 'preset') return null;
  const { program, install } = findPreset(agent.program.preset);
  const { cacheDir, stateDir, temporaryRoot } = context.places;
  const env = commandEnvironment(context.environment, agent.environment);
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

import type { CommandResult } from '../../domain/command/command.js';
import { commandEnvironment, trustedPath } from '../../exec/command-environment.js';
import { findProgramIn } from '../../exec/find-program.js';
import { runProcess } from '../../exec/run-process.js';
import type { Context } from '../../operations/context.js';

/** The path of the user's program, never of one that an agent could have written. */
export const findForgeProgram = (
  context: Pick<Context, 'environment' | 'places'>,
  name: 'gh' | 'glab',
): string | undefined => findProgramIn(context.environment.PATH ?? '', name, untrusted(context));

const untrusted = ({ places }: Pick<Context, 'places'>): string[] => [places.cacheDir, places.stateDir];

export interface ForgeCall {
  /** Path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs: the program uses the remotes of this repository. */
  readonly repository: string;
  readonly stdin?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const LIMIT_MS = 2 * 60_000;

/** It never prompts. */
export function runForgeProgram(
  context: Pick<Context, 'environment' | 'places'>,
  { program, args, repository, stdin = '', signal }: ForgeCall,
): Promise<CommandResult> {
  const PATH = trustedPath(context.environment.PATH ?? '', untrusted(context));
  const quiet = {
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    NO_PROMPT: '1',
    GIT_TERMINAL_PROMPT: '0',
    NO_COLOR: '1',
  };
  const env = commandEnvironment(context.environment, { directory: repository }, { PATH, ...quiet });
  return runProcess({ command: program, args, cwd: repository, env, stdin, timeoutMs: LIMIT_MS, signal });
}

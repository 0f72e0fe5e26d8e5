import { isAbsolute } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { RunRequest, RunResult } from '../exec/run.js';

export interface JjOptions {
  /** A workspace of the repository; never discovered from the working directory. */
  readonly workspace: string;
  /**
   * Whether jj may record the files of that workspace and change them. Only ever for a workspace of ours: in the user's
   * it would amend their working-copy commit, and in a colocated repository take in what git did meanwhile.
   */
  readonly touchesFiles?: boolean;
  /** Exit statuses that are answers rather than failures. Default only 0. */
  readonly answers?: readonly number[];
  /** Extra configuration, `name=value`. */
  readonly config?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** jj as Carrel calls it: no pager, no colour, no editor, no program of the user's configuration. */
export interface Jj {
  /** Runs it and gives the result; JJ_FAILED when the exit status is not among `answers`, JJ_MISSING. */
  run(args: readonly string[], options: JjOptions): Promise<RunResult>;
  /** Standard output as text, without the last line break. */
  text(args: readonly string[], options: JjOptions): Promise<string>;
}

export interface JjDependencies {
  readonly run: (request: RunRequest) => Promise<RunResult>;
  /** The environment for jj, already scrubbed (see exec/environment.ts). */
  readonly env: Readonly<Record<string, string>>;
}

const HARDENING = [
  // A monitor is a program; a stale one would also hide changes.
  'fsmonitor.backend=none',
  // Signing asks for passphrases, and what we make is the workspace's empty first commit.
  'signing.behavior=drop',
  // Would break what templates print at the width of the terminal.
  'ui.log-word-wrap=false',
  // A workspace that was left behind by a rewrite is told, not changed on the way.
  'snapshot.auto-update-stale=false',
];

export function createJj(dependencies: JjDependencies): Jj {
  const run = async (args: readonly string[], options: JjOptions): Promise<RunResult> => {
    const result = await start(dependencies, args, options);
    if (result.exitCode !== null && (options.answers ?? [0]).includes(result.exitCode)) return result;
    options.signal?.throwIfAborted();
    const stderr = result.stderr.toString('utf8').slice(-2000);
    throw carrelError('JJ_FAILED', { command: `jj ${args[0]}`, exitCode: result.exitCode, stderr });
  };
  return {
    run,
    text: async (args, options) => (await run(args, options)).stdout.toString('utf8').replace(/\n$/, ''),
  };
}

async function start(
  dependencies: JjDependencies,
  args: readonly string[],
  options: JjOptions,
): Promise<RunResult> {
  const { workspace } = options;
  if (!isAbsolute(workspace))
    throw carrelError('INTERNAL', { problem: `jj ${args[0]} without an absolute place` });
  const config = [...HARDENING, ...(options.config ?? [])].flatMap(setting => ['--config', setting]);
  const looksOnly = options.touchesFiles ? [] : ['--ignore-working-copy'];
  try {
    return await dependencies.run({
      command: 'jj',
      args: [
        '--repository',
        workspace,
        '--no-pager',
        '--color=never',
        '--quiet',
        ...looksOnly,
        ...config,
        ...args,
      ],
      cwd: '/',
      // Messages are always given; if jj should want to open an editor for one, it is taken as it is.
      env: { ...dependencies.env, JJ_EDITOR: 'true', ...options.env },
      signal: options.signal,
      maxOutputBytes: 1024 ** 3,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw carrelError('JJ_MISSING', { path: dependencies.env.PATH ?? '' }, error);
  }
}

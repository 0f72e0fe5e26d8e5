import { isAbsolute } from 'node:path';
import type { CommandResult } from '../domain/command/command.js';
import { carrelError } from '../domain/error/error.js';
import { releasePipes } from '../exec/child/release-pipes.js';
import type { RunProcess } from '../exec/run-process.js';

export interface JjOptions {
  /** A workspace of the repository; never discovered from the working directory. */
  readonly workspace: string;
  /**
   * Whether jj may record and change the files of that workspace. Only for Carrel's workspaces: in the user's it would
   * amend their working-copy commit, and in a colocated repository import git's changes.
   */
  readonly touchesFiles?: boolean;
  /** Exit statuses that are answers rather than failures. Default only 0. */
  readonly answers?: readonly number[];
  /** Extra configuration, `name=value`. */
  readonly config?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** jj as Carrel calls it: no pager, no color, no editor, no program of the user's configuration. */
export interface Jj {
  /** Runs jj and returns the result; JJ_FAILED when the exit status is not among `answers`, JJ_MISSING. */
  run(args: readonly string[], options: JjOptions): Promise<CommandResult>;
  /** Standard output as text, without the last line break. */
  text(args: readonly string[], options: JjOptions): Promise<string>;
}

export interface JjDependencies {
  readonly run: RunProcess;
  /** The environment for jj, already scrubbed (see exec/command-environment.ts). */
  readonly env: Readonly<Record<string, string>>;
}

const HARDENING = [
  // A monitor is a program; a stale one would also hide changes.
  'fsmonitor.backend=none',
  // Signing asks for passphrases, and we only create the workspace's empty first commit.
  'signing.behavior=drop',
  // Would wrap the output of templates at the width of the terminal.
  'ui.log-word-wrap=false',
  // A workspace that a rewrite made stale is reported, not updated.
  'snapshot.auto-update-stale=false',
];

export function createJj(dependencies: JjDependencies): Jj {
  const run = async (args: readonly string[], options: JjOptions): Promise<CommandResult> => {
    const result = await start(dependencies, args, options);
    if (result.exitCode !== null && (options.answers ?? [0]).includes(result.exitCode)) return result;
    options.signal?.throwIfAborted();
    const stderr = result.stderr.toString('utf8').slice(-2000);
    const full = readFullPlace(stderr);
    if (full !== undefined) throw carrelError('DISK_FULL', { path: full || options.workspace });
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
): Promise<CommandResult> {
  const { workspace } = options;
  if (!isAbsolute(workspace))
    throw carrelError('INTERNAL', { problem: `jj ${args[0]} without an absolute place` });
  const config = [...HARDENING, ...(options.config ?? [])].flatMap(setting => ['--config', setting]);
  const looksOnly = options.touchesFiles ? [] : ['--ignore-working-copy'];
  const pipes = releasePipes(options.touchesFiles ? workspace : undefined);
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
      // Messages are always given; if jj opens an editor for one anyway, it stays unchanged.
      env: { ...dependencies.env, JJ_EDITOR: 'true', ...options.env },
      signal: options.signal,
      maxOutputBytes: 1024 ** 3,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw carrelError('JJ_MISSING', { path: dependencies.env.PATH ?? '' }, error);
  } finally {
    pipes.stop();
  }
}

/** The path in jj's message for ENOSPC or EDQUOT, empty when it has none; undefined for any other failure. */
export const readFullPlace = (stderr: string): string | undefined =>
  /\(os error (?:28|122)\)(?: at path "([^"]+)")?/.exec(stderr)?.slice(1).join('');

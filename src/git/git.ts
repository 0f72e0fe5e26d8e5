import { dirname, isAbsolute } from 'node:path';
import type { CommandResult } from '../domain/command/command.js';
import { type CarrelError, carrelError } from '../domain/error/error.js';
import { releasePipes } from '../exec/child/release-pipes.js';
import type { RunProcess, RunRequest } from '../exec/run-process.js';
import { findFullPlace } from './disk/disk-full.js';
import { removeUnfinishedObjects } from './objects/unfinished-objects.js';

/** Where a git command works. Carrel names the git directory and the work tree and never lets git discover them. */
export interface GitPlace {
  /** For a linked worktree its own admin directory, otherwise the repository's git directory. */
  readonly gitDir?: string;
  readonly workTree?: string;
  /** An index other than the work tree's own, so that the user's is never written. */
  readonly indexFile?: string;
  /** Where to write new objects, with the repository's objects still readable; for work that should leave no trace. */
  readonly scratchObjects?: { readonly directory: string; readonly alternates: readonly string[] };
}

export interface GitOptions extends GitPlace {
  /** Working directory; the work tree or the git directory by default. */
  readonly cwd?: string;
  readonly stdin?: RunRequest['stdin'];
  /** Exit statuses that are answers rather than failures. Default only 0. */
  readonly answers?: readonly number[];
  /** Extra configuration, `core.x=y`. */
  readonly config?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: RunRequest['onOutput'];
  readonly join?: RunRequest['join'];
  /** Bytes kept of each stream, for callers that read with `onOutput`. Default 1 GiB. */
  readonly maxOutputBytes?: number | undefined;
}

/** git as Carrel calls it: hooks, prompts, pagers and background work off, without the caller's `GIT_*`. */
export interface Git {
  /** Runs it and returns the result; GIT_FAILED when the exit status is not among `answers`, GIT_MISSING, DISK_FULL. */
  run(args: readonly string[], options?: GitOptions): Promise<CommandResult>;
  /** Standard output as text, without the last line break. */
  text(args: readonly string[], options?: GitOptions): Promise<string>;
  /** Standard output of a `-z` command, as byte strings (see byte-path.ts). */
  records(args: readonly string[], options?: GitOptions): Promise<string[]>;
  /** Whether the exit status is 0; 1 means no, and anything else is a failure. */
  succeeds(args: readonly string[], options?: GitOptions): Promise<boolean>;
}

export interface GitDependencies {
  readonly run: RunProcess;
  /** The environment for git, already scrubbed (see exec/command-environment.ts). */
  readonly env: Readonly<Record<string, string>>;
}

const HARDENING = [
  // Repository hooks never run when Carrel calls git. From git 2.54 on, `hook.<name>.command` is not covered by this.
  'core.hooksPath=/dev/null',
  // A monitor is a program named by the configuration; a stale one would also hide changes.
  'core.fsmonitor=false',
  // An edit of the same size within the same second is only seen by ctime.
  'core.trustctime=true',
  'core.checkStat=default',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.quotePath=false',
  'advice.detachedHead=false',
];

export function createGit(dependencies: GitDependencies): Git {
  const run = async (args: readonly string[], options: GitOptions = {}): Promise<CommandResult> => {
    const startedAt = Date.now();
    const result = await start(dependencies, args, options);
    const answers = options.answers ?? [0];
    if (result.exitCode !== null && answers.includes(result.exitCode)) return result;
    options.signal?.throwIfAborted();
    throw await explainFailure(args, options, result, startedAt);
  };
  return {
    run,
    text: async (args, options) => (await run(args, options)).stdout.toString('utf8').replace(/\n$/, ''),
    records: async (args, options) => splitRecords((await run(args, options)).stdout),
    succeeds: async (args, options) => (await run(args, { ...options, answers: [0, 1] })).exitCode === 0,
  };
}

async function explainFailure(
  args: readonly string[],
  { gitDir, workTree, indexFile, scratchObjects, cwd }: GitOptions,
  { exitCode, stderr }: CommandResult,
  startedAt: number,
): Promise<CarrelError> {
  const text = stderr.toString('utf8').slice(-2000);
  const failure = carrelError('GIT_FAILED', { command: `git ${args[0]}`, exitCode, stderr: text });
  const places = [gitDir, workTree, indexFile && dirname(indexFile), scratchObjects?.directory, cwd];
  const full = await findFullPlace(places.filter(place => place !== undefined));
  if (full === undefined) return failure;
  if (gitDir !== undefined) await removeUnfinishedObjects(gitDir, startedAt);
  return carrelError('DISK_FULL', { path: full }, failure);
}

async function start(
  dependencies: GitDependencies,
  args: readonly string[],
  options: GitOptions,
): Promise<CommandResult> {
  const config = [...HARDENING, ...(options.config ?? [])].flatMap(setting => ['-c', setting]);
  const cwd = options.cwd ?? options.workTree ?? options.gitDir;
  if (!cwd || !isAbsolute(cwd))
    throw carrelError('INTERNAL', { problem: `git ${args[0]} without an absolute path` });
  requireWords(args);
  const pipes = releasePipes(options.workTree);
  try {
    return await dependencies.run({
      command: 'git',
      args: [...config, ...args],
      cwd,
      env: { ...dependencies.env, ...placeVariables(options), ...options.env },
      stdin: options.stdin,
      timeoutMs: options.timeoutMs,
      signal: options.signal,
      onOutput: options.onOutput,
      join: options.join,
      // Lists of a hundred thousand files must be complete: a truncated list would hide work.
      maxOutputBytes: options.maxOutputBytes ?? 1024 ** 3,
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw carrelError('GIT_MISSING', { path: dependencies.env.PATH ?? '' }, error);
  } finally {
    pipes.stop();
  }
}

/** Arguments can't contain NUL. The command line can't pass one, but a library caller can. */
function requireWords(args: readonly string[]): void {
  const odd = args.find(arg => arg.includes('\0'));
  if (odd === undefined) return;
  const expected = 'text without a NUL character';
  throw carrelError('INVALID_INPUT', { what: 'a name for git', found: JSON.stringify(odd), expected });
}

function placeVariables(place: GitPlace): Record<string, string> {
  return {
    ...(place.gitDir ? { GIT_DIR: place.gitDir } : {}),
    ...(place.workTree ? { GIT_WORK_TREE: place.workTree } : {}),
    ...(place.indexFile ? { GIT_INDEX_FILE: place.indexFile } : {}),
    ...(place.scratchObjects
      ? {
          GIT_OBJECT_DIRECTORY: place.scratchObjects.directory,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: place.scratchObjects.alternates.join(':'),
        }
      : {}),
  };
}

/** NUL-separated output as byte strings. */
export function splitRecords(output: Buffer): string[] {
  const records = output.toString('latin1').split('\0');
  if (records.at(-1) === '') records.pop();
  return records;
}

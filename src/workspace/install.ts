import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { carrelError, errnoOf } from '../domain/error.js';
import { formatDuration } from '../domain/quantity.js';
import type { RunRequest, RunResult } from '../exec/run.js';
import { detectInstall, type InstallCommand } from './detect-install.js';
import { createOutputTail } from './output-tail.js';

/** Milliseconds before each further try; registries have short hiccups. */
const BACKOFF_MS = [1000, 4000];

export interface InstallRun {
  /** The workspace. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** For all that belongs to one lockfile, further tries included. */
  readonly timeoutMs: number;
  readonly run: (request: RunRequest) => Promise<RunResult>;
  readonly narrate: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly backoffMs?: readonly number[] | undefined;
}

/**
 * Installs the dependencies that the lockfiles of a workspace name. A program that is not there is a warning that names
 * it; one that fails is tried again and is SETUP_FAILED in the end. Gives the warnings.
 */
export async function runInstall(install: InstallRun): Promise<string[]> {
  const warnings: string[] = [];
  for (const step of await detectInstall(install.directory)) {
    const missing = await runStep(install, step);
    if (missing)
      warnings.push(
        `the dependencies in ${step.lockfile} were not installed: ${missing} was not found on PATH`,
      );
  }
  return warnings;
}

/** The program that is missing, if any. */
async function runStep(install: InstallRun, step: InstallCommand): Promise<string | undefined> {
  const deadline = performance.now() + install.timeoutMs;
  for (const command of step.commands) {
    install.narrate(`install: ${command.join(' ')}`);
    if (!(await runWithRetries(install, command, deadline))) return command[0];
  }
  if (step.makes) await hideFromGit(join(install.directory, step.makes));
  return undefined;
}

type Command = InstallCommand['commands'][number];

/** False when the program does not exist. */
async function runWithRetries(install: InstallRun, command: Command, deadline: number): Promise<boolean> {
  const pauses = install.backoffMs ?? BACKOFF_MS;
  for (let attempt = 0; ; attempt++) {
    const failure = await runOnce(install, command, deadline);
    if (failure === 'missing') return false;
    if (failure === undefined) return true;
    const pause = pauses[attempt];
    const isLast = pause === undefined || performance.now() + pause >= deadline;
    if (failure.timedOut || isLast)
      throw carrelError('SETUP_FAILED', { command: command.join(' '), ...failure });
    install.narrate(`install: ${command.join(' ')} failed; trying again in ${formatDuration(pause)}`);
    await wait(pause, undefined, { signal: install.signal });
  }
}

interface Failure {
  readonly exitCode: number | null;
  readonly output: string;
  readonly timedOut: boolean;
}

async function runOnce(
  install: InstallRun,
  command: Command,
  deadline: number,
): Promise<Failure | 'missing' | undefined> {
  const [program, ...args] = command;
  const tail = createOutputTail();
  const result = await install
    .run({
      command: program,
      args,
      cwd: install.directory,
      env: install.env,
      timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
      signal: install.signal,
      onOutput: (_, chunk) => tail.add(chunk),
      maxOutputBytes: 0,
    })
    .catch(missingProgram);
  install.signal?.throwIfAborted();
  if (result === 'missing') return result;
  const { exitCode, timedOut } = result;
  return exitCode === 0 ? undefined : { exitCode, output: tail.text(), timedOut };
}

function missingProgram(error: unknown): 'missing' {
  if (errnoOf(error) === 'ENOENT') return 'missing';
  throw error;
}

/** Python's venv writes this file itself from 3.13 on. Without it a thousand files would count as untracked work. */
async function hideFromGit(directory: string): Promise<void> {
  if (!(await stat(directory).catch(() => undefined))?.isDirectory()) return;
  await writeFile(join(directory, '.gitignore'), '*\n', { flag: 'wx' }).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
}

import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CommandResult } from '../../domain/command/command.js';
import type { Environment } from '../../domain/command/environment.js';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { detectInstall, type InstallCommand } from './detect-install.js';
import { createOutputTail } from './output-tail.js';

/** Milliseconds before each retry; registries have short outages. */
const BACKOFF_MS = [1000, 4000];

export interface InstallRun {
  /** The workspace. */
  readonly directory: string;
  readonly environment: Environment;
  /** For one lockfile, retries included. */
  readonly timeoutMs: number;
  readonly narrate: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly backoffMs?: readonly number[] | undefined;
}

/**
 * Installs the dependencies in the lockfiles of a workspace. A missing program gives a warning with its name; a failing one
 * is retried and then SETUP_FAILED. Returns the warnings.
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

type Words = InstallCommand['commands'][number];

/** False when the program does not exist. */
async function runWithRetries(install: InstallRun, command: Words, deadline: number): Promise<boolean> {
  const pauses = install.backoffMs ?? BACKOFF_MS;
  for (let attempt = 0; ; attempt++) {
    const failure = await runOnce(install, command, deadline);
    if (failure === 'missing') return false;
    if (failure === undefined) return true;
    const pause = pauses[attempt];
    const isLast = pause === undefined || performance.now() + pause >= deadline;
    if (failure.timedOut || isLast)
      throw carrelError('SETUP_FAILED', { command: command.join(' '), ...failure });
    install.narrate(`install: ${command.join(' ')} failed; retrying in ${formatDuration(pause)}`);
    await wait(pause, undefined, { signal: install.signal });
  }
}

interface Failure extends Pick<CommandResult, 'exitCode' | 'timedOut'> {
  readonly output: string;
}

async function runOnce(
  install: InstallRun,
  command: Words,
  deadline: number,
): Promise<Failure | 'missing' | undefined> {
  const tail = createOutputTail();
  const result = await install.environment
    .run({
      command,
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

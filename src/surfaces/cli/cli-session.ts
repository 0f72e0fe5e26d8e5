import { isAbsolute, resolve } from 'node:path';
import type { App, AppOptions } from '../../app.js';
import { carrelError } from '../../domain/error/error.js';
import type { Interruption } from './exit/interruption.js';
import { findKillSeam } from './exit/test-kill-point.js';
import type { Output } from './terminal/output.js';

/** One call of the command line: its environment, its output and how it stops. */
export interface Session {
  readonly environment: Readonly<Record<string, string>>;
  /** Throws like process.cwd() when the directory is gone. */
  readonly currentDirectory: () => string;
  readonly output: Output;
  readonly interruption: Interruption;
  /** True when stdin and stderr are terminals, so that the user can answer a question. */
  readonly isInteractive: boolean;
  /** Aborted when the reader of stdout is gone. */
  readonly readerGone?: AbortSignal | undefined;
  /** How to start this program again, for work in the background. */
  readonly ownCommand?: AppOptions['ownCommand'];
  /** Sets the exit status of a command that ends without an error. */
  readonly exitWith: (code: number) => void;
}

/** The options of every command. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly repository?: string;
}

/** The part of a session that the process provides. */
export type Surroundings = Omit<Session, 'exitWith'>;

/** Opens Carrel for one command and always closes it. */
export async function withApp<T>(
  session: Session,
  options: CommonOptions,
  use: (app: App, repository: string) => Promise<T>,
  recovers = true,
): Promise<T> {
  const repository = absolutePath(session, options.repository ?? '.');
  const { openApp } = await import('../../app.js');
  const app = await openApp({
    environment: session.environment,
    cwd: findCurrentDirectory(session) ?? repository,
    narrate: session.output.narrate,
    onStep: findKillSeam(session.environment),
    ownCommand: session.ownCommand,
    recovers,
    expects: repository,
  });
  try {
    return await use(app, repository);
  } finally {
    await app.close();
  }
}

/** Makes a path from the command line absolute. The current directory may no longer exist. */
export function absolutePath(session: Session, path: string): string {
  // The result of `-R "$UNSET"`. Using the current directory would be a guess.
  if (path === '')
    throw carrelError('INVALID_INPUT', { what: 'the path', found: 'empty', expected: 'a directory' });
  if (isAbsolute(path)) return path;
  const cwd = findCurrentDirectory(session);
  if (cwd === undefined) throw carrelError('NO_SUCH_DIRECTORY', { path: session.environment.PWD ?? '.' });
  return resolve(cwd, path);
}

function findCurrentDirectory(session: Session): string | undefined {
  try {
    return session.currentDirectory();
  } catch {
    return undefined;
  }
}

/** Prints the answer: the value as JSON with --json, else as text. */
export function answer<T>(
  session: Session,
  options: CommonOptions,
  value: T,
  format: (value: T) => string,
): void {
  if (options.json) session.output.json(value);
  else session.output.answer(format(value));
}

import { isAbsolute, resolve } from 'node:path';
import type { App, AppOptions } from '../app.js';
import { carrelError } from '../domain/error.js';
import type { Interruption } from './interruption.js';
import { findKillSeam } from './kill-seam.js';
import type { Output } from './output.js';

/** One call of the command line: where it comes from, where it speaks, and how it is to end. */
export interface Session {
  readonly environment: Readonly<Record<string, string>>;
  /** Throws as process.cwd() does when the directory is gone. */
  readonly currentDirectory: () => string;
  readonly output: Output;
  readonly interruption: Interruption;
  /** Whether a question can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** Aborted when whoever read the answer has gone away. */
  readonly readerGone?: AbortSignal | undefined;
  /** What starts this command once more, for work in the background. */
  readonly ownCommand?: AppOptions['ownCommand'];
  /** Sets the exit status of a command that ends without an error. */
  readonly exitWith: (code: number) => void;
}

/** The options of every command. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly repository?: string;
}

/** What the process brings along; the rest of a session comes with the call. */
export type Surroundings = Omit<Session, 'exitWith'>;

/** Opens Carrel for one command and closes it on every way out. */
export async function withApp<T>(
  session: Session,
  options: CommonOptions,
  use: (app: App, repository: string) => Promise<T>,
  recovers = true,
): Promise<T> {
  const repository = absolutePath(session, options.repository ?? '.');
  const { openApp } = await import('../app.js');
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

/** A path from the command line, made absolute. Somebody may stand in a directory that is no longer there. */
export function absolutePath(session: Session, path: string): string {
  // What `-R "$UNSET"` comes to. Taking it for the current directory would be a guess.
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

/** Prints the answer: the value itself with --json, else how it reads. */
export function answer<T>(
  session: Session,
  options: CommonOptions,
  value: T,
  format: (value: T) => string,
): void {
  if (options.json) session.output.json(value);
  else session.output.answer(format(value));
}

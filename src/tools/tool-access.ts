import type { Environment } from '../domain/command/environment.js';

/** What tools work with: the machine itself, or the inside of a sandbox. Paths are absolute, as commands see them. */
export interface ToolEnvironment extends Environment {
  /** Commands start there. When one returns, no process of it is left running. */
  readonly workingDirectory: string;
  readonly files: ToolFiles;
}

/** Why something can't be done, for the model. */
export interface Problem {
  readonly problem: string;
}

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value;

/** Files where the tools work. Problems with a path are returned, not thrown. */
export interface ToolFiles {
  /** Of a regular file. */
  read(path: string, mostBytes: number): Promise<Buffer | Problem>;
  /** Makes the directories above it; what was there is replaced, with its permissions kept. */
  write(path: string, content: Buffer): Promise<Problem | undefined>;
  /** Undefined for a directory that may be used. */
  checkDirectory(path: string): Promise<Problem | undefined>;
  /**
   * Files below a directory, or the file that the path itself is, by absolute path. Links are not followed.
   */
  list(path: string, options: ListOptions): Promise<Listing | Problem>;
}

export interface ListOptions {
  /** Names of directories that are left out. */
  readonly without: ReadonlySet<string>;
  /** Whether links are listed too. */
  readonly withLinks: boolean;
  readonly most: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Listing {
  readonly paths: readonly string[];
  /** False when there are more than requested, or some could not be read. */
  readonly isWhole: boolean;
}

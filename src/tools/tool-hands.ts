/** What tools work with: the machine itself, or the inside of a sandbox. Paths are absolute, as commands see them. */
export interface ToolHands {
  readonly workingDirectory: string;
  /** Runs a program in the working directory. When it returns, nothing that the program has started runs any more. */
  run(request: HandsCommand): Promise<HandsResult>;
  readonly files: ToolFiles;
}

export interface HandsCommand {
  readonly command: readonly [program: string, ...args: string[]];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Standard output and error, in the order in which they come. */
  readonly onOutput: (chunk: Buffer) => void;
}

export interface HandsResult {
  /** Null when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
}

/** Why something can't be done, for the model. */
export interface Problem {
  readonly problem: string;
}

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'problem' in value;

/** Files where the tools work. What goes wrong with a path is told, not thrown. */
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
  /** False when there are more than were asked for, or some could not be read. */
  readonly isWhole: boolean;
}

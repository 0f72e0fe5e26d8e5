/** One call of the command line, as one line of JSON. The answer is its exit status, one line as well. */
export interface WarmCall {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** What starts the real command, for work in the background. */
  readonly ownCommand: readonly [string, ...string[]];
}

/** Where a process of a channel has its requests and puts the end of each. */
export const REQUESTS_FD = 3;
export const RESULTS_FD = 4;

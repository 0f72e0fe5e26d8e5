/** How an agent is started for one attempt. */
export interface Invocation {
  /** Program and arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Its standard input; undefined for none. */
  readonly stdin: string | undefined;
  /** In addition to the variables of every command in the workspace. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How an agent is started for one attempt. */
export interface Invocation {
  /** Program and arguments. */
  readonly command: readonly [program: string, ...args: string[]];
  /** What it reads; undefined for nothing. */
  readonly stdin: string | undefined;
  /** Over what every command in the workspace has. */
  readonly environment: Readonly<Record<string, string>>;
}

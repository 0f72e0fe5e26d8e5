/** A tool that a model can call, in the form of model APIs. */
export interface Tool {
  readonly name: ToolName;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /**
   * Runs it. What the model can fix is a result with `isError`: invalid input, a missing file, a command that
   * fails. Rejects with the signal's reason once that is aborted, so that a loop around a model stops too.
   */
  run(input: unknown): Promise<ToolResult>;
}

export const TOOL_NAMES = ['bash', 'read_file', 'write_file', 'edit_file', 'grep', 'glob'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

export type Tools = Readonly<Record<ToolName, Tool>>;

export interface ToolResult {
  /** For the model; bounded. */
  readonly output: string;
  readonly isError: boolean;
}

export interface ToolLimits {
  /** Default time limit of a command in milliseconds. */
  readonly commandMs: number;
  /** Maximum time limit of a command in milliseconds. */
  readonly longestCommandMs: number;
  /** Milliseconds of one search. */
  readonly searchMs: number;
  /** Bytes that one result has at most. */
  readonly outputBytes: number;
  /** Bytes of a file that is read, edited or searched. */
  readonly fileBytes: number;
  /** Maximum number of lines from grep and paths from glob. */
  readonly matches: number;
  /** Files that grep and glob read. */
  readonly files: number;
}

export const USUAL_LIMITS: ToolLimits = {
  commandMs: 120_000,
  longestCommandMs: 600_000,
  searchMs: 30_000,
  outputBytes: 48 * 1024,
  fileBytes: 8 * 1024 ** 2,
  matches: 500,
  files: 100_000,
};

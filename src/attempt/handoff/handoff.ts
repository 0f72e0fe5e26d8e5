/**
 * Files that one attempt gets and returns, outside the working tree. On the host they are in Carrel's own directories; in a
 * sandbox in the private home, where only commands inside touch them: the host never writes what the agent can write.
 */
export interface Handoff {
  /** Absolute paths, as seen by the agent. */
  readonly seen: SeenHandoff;
  /**
   * Creates the directory with these files, by relative path: `prompt.md`, `inputs/plan.md`, `files/settings.json`.
   * Removes existing files first. UNSAFE_PATH, DISK_FULL, SANDBOX_REFUSED.
   */
  place(files: ReadonlyMap<string, Buffer>): Promise<void>;
  /** The files that the agent left in the output directory, within limits (see output-allowance.ts). */
  collect(): Promise<Collected>;
  /** Idempotent; what cannot be removed stays until the task is forgotten. */
  clear(): Promise<void>;
}

export interface SeenHandoff {
  readonly promptFile: string;
  readonly inputDir: string;
  readonly outputDir: string;
  readonly filesDir: string;
}

export interface Collected {
  readonly files: readonly CollectedFile[];
  /** What was left out, and why. */
  readonly warnings: readonly string[];
}

export interface CollectedFile {
  /** Relative, with `/`, of plain names only. */
  readonly path: string;
  readonly content: Buffer;
}

/** Limits for one import. Above one nothing is imported, and the problem names the limit. */
export interface ImportLimits {
  /** Bytes of the pack, as they come through the pipe. */
  readonly packBytes: number;
  /** Bytes of one file that the repository does not have yet. */
  readonly fileBytes: number;
  readonly commits: number;
  /** Changed files and directories, over all commits. */
  readonly entries: number;
  /** Milliseconds for all of it. */
  readonly timeMs: number;
  /** Milliseconds after which a refusal is remembered, so that the same wait is not repeated. */
  readonly patienceMs: number;
}

export const DEFAULT_LIMITS: ImportLimits = {
  packBytes: 2 * 1024 ** 3,
  fileBytes: 100 * 1024 ** 2,
  commits: 10_000,
  entries: 500_000,
  timeMs: 120_000,
  patienceMs: 30_000,
};

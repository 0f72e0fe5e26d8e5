/** What may come back at once. Beyond it nothing is taken, and the problem says which limit it was. */
export interface TakeBackLimits {
  /** Bytes of the pack, as they come through the pipe. */
  readonly packBytes: number;
  /** Bytes of one file that the repository does not have yet. */
  readonly fileBytes: number;
  readonly commits: number;
  /** Changed files and directories, over all commits. */
  readonly entries: number;
  /** Milliseconds for all of it. */
  readonly timeMs: number;
}

export const DEFAULT_LIMITS: TakeBackLimits = {
  packBytes: 2 * 1024 ** 3,
  fileBytes: 100 * 1024 ** 2,
  commits: 10_000,
  entries: 500_000,
  timeMs: 120_000,
};

/** One checkout of a repository: its files, its own git directory, and the git directory that all checkouts share. */
export interface WorkTreePlace {
  readonly commonDir: string;
  /** The admin directory of a linked worktree; the same as `commonDir` for the main one. */
  readonly gitDir: string;
  /** Where the files are now; need not be where git thinks they are, and need not exist. */
  readonly workTree: string;
  /** A name at the top of the files that is another tool's and no part of the work, as `.git` is git's. */
  readonly apart?: string | undefined;
  /**
   * Whether the files were written by somebody who must not steer our git. Then git never gets to see them where they
   * are (see foreign-files.ts), repositories within are files like others, and nothing is followed.
   */
  readonly isForeign?: boolean | undefined;
}

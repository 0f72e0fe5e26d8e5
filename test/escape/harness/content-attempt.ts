import type { Program } from './program.js';

/** A commit that must not arrive in the repository. The control is the same commit in a plain worktree, where it does. */
export interface ContentAttempt {
  readonly name: string;
  /** Puts the commit, with the subject `hostile`, on the branch of the workspace, above its base, and says COMMITTED. */
  readonly program: (base: string) => Program;
}

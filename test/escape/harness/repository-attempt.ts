import type { Program } from './program.js';
import type { OwnersGit } from './repository-state.js';

/** Where an attempt on the repository takes place. */
export interface RepositoryTarget {
  /** The user's checkout. */
  readonly repository: string;
  /** A file that does not exist; whatever the user's own git is made to run leaves its mark there. */
  readonly mark: string;
  /** An object file of the repository, relative to the object store. */
  readonly object: string;
  readonly git: OwnersGit;
}

/** One way to harm the repository from a workspace. The control is the same program in a plain worktree. */
export interface RepositoryAttempt {
  readonly name: string;
  readonly program: (target: RepositoryTarget) => Program;
}

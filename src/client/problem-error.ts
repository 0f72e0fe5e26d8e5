import type { Problem } from '../domain/problem.js';

/** The server's answer was a problem. Branch on `code`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  get code(): string {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  get hint(): string {
    return this.problem.hint;
  }
}

/** No answer came, or one that no server of Carrel gives. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

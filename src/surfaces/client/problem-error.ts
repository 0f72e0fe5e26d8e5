import type { Problem } from '../../domain/error/problem.js';

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

/** There was no answer, or not one of a Carrel server. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

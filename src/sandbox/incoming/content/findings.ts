/** The problems that were found. Only the first ones are kept. */
export interface Findings {
  add(problem: string): void;
  /** A problem that stops the check. */
  stop(problem: string): never;
  readonly problems: readonly string[];
}

const MOST_PROBLEMS = 10;

export function createFindings(): Findings {
  const problems: string[] = [];
  return {
    problems,
    add(problem) {
      problems.push(problem);
      if (problems.length >= MOST_PROBLEMS) throw new EnoughFound();
    },
    stop(problem) {
      problems.push(problem);
      throw new EnoughFound();
    },
  };
}

/** Stops the check and its git process. Caught where the check starts. */
export class EnoughFound extends Error {}

/** What was found wrong. There is a number of problems beyond which nobody wants to read more. */
export interface Findings {
  add(problem: string): void;
  /** A problem after which there is no use in looking further. */
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

/** Ends the looking, and the git that lists what is looked at. Caught where the looking begins. */
export class EnoughFound extends Error {}

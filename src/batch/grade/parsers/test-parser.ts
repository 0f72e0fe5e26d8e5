import type { TestResult } from './test-results.js';

/** Reads the output of one test runner. The text has no control sequences, and lines end with `\n`. */
export interface TestParser {
  /** Whether the text has a line that only this runner prints. */
  recognises(text: string): boolean;
  parse(text: string): ParsedTests;
}

export interface ParsedTests {
  readonly tests: readonly TestResult[];
  /** Why the results are incomplete, such as a plan of more tests than were reported. */
  readonly problem?: string | undefined;
}

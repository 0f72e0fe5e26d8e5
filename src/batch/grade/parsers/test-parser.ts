import type { TestResult } from '../test-results.js';

/** Reads what one test runner prints or writes. The text has no control sequences, and `\n` ends its lines. */
export interface TestParser {
  /** Whether a line is there that this runner alone prints. */
  recognises(text: string): boolean;
  parse(text: string): ParsedTests;
}

export interface ParsedTests {
  readonly tests: readonly TestResult[];
  /** Why what was read can't be all, such as a plan of more tests than were reported. */
  readonly problem?: string | undefined;
}

import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const WORDS = 'PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS';

/** `tests/a.py::test_x[a b] PASSED   [ 50%]` of -v. */
const VERBOSE = new RegExp(`^(\\S.*) (${WORDS})(?: \\(.*\\))?(?: +\\[ *\\d+%\\])?\\s*$`);
/** `FAILED tests/a.py::test_x - why` of the short summary (-rA), and pytest-xdist's `[gw0] [ 50%] PASSED ...`. */
const SUMMARY = new RegExp(
  `^(?:\\[gw\\d+\\] (?:\\[ *\\d+%\\] )?)?(${WORDS}) ((?:[^\\s[]| (?!- ))+(?:\\[.*?\\])?)(?: - .*)?\\s*$`,
);

/** Statuses as in pytest's exit status: an expected failure is fine either way. */
const STATUSES: Readonly<Record<string, TestStatus>> = {
  PASSED: 'passed',
  XFAIL: 'passed',
  XPASS: 'passed',
  FAILED: 'failed',
  ERROR: 'failed',
  SKIPPED: 'skipped',
};

/** With -v, with -rA, or with both. A file that cannot be collected counts as one failed test. */
export const pytestParser: TestParser = {
  recognises: text =>
    /^=+ (test session starts|short test summary info) =+$/m.test(text) ||
    /^(=+ )?\d+ (passed|failed|errors?)\b.* in \d/m.test(text),
  parse: text => ({ tests: text.split('\n').flatMap(readLine) }),
};

function readLine(line: string): TestResult[] {
  const summary = SUMMARY.exec(line);
  if (summary) return toResult(summary[2], summary[1]);
  const verbose = VERBOSE.exec(line);
  return verbose?.[1]?.includes('::') ? toResult(verbose[1], verbose[2]) : [];
}

function toResult(name: string | undefined, word: string | undefined): TestResult[] {
  const status = STATUSES[word ?? ''];
  // `SKIPPED [1] tests/a.py:14: why` names no test.
  return name === undefined || status === undefined || name.startsWith('[') ? [] : [{ name, status }];
}

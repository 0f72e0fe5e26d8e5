import { nestedName } from './nested-name.js';
import { createSuiteStack } from './suite-stack.js';
import type { TestParser } from './test-parser.js';
import type { TestResult } from './test-results.js';

const PASSED = /^( +)[✓✔√] (.+?)(?: \(\d+m?s\))?$/;
const FAILED = /^( +)\d+\) (.+)$/;
const PENDING = /^( +)- (.+)$/;
const SUITE = /^( {2,})(\S.*)$/;
const SUMMARY = /^ +\d+ passing\b/;

/** Mocha's reporter `spec`, which is its default. */
export const mochaParser: TestParser = {
  recognises: text => /^ +\d+ passing \(\d+\w+\)$/m.test(text),
  parse: text => {
    const tests: TestResult[] = [];
    const suites = createSuiteStack();
    for (const line of text.split('\n')) {
      // Failures are printed again below.
      if (SUMMARY.test(line)) break;
      const [match, status] = readMark(line);
      const [, indent = '', title = ''] = match ?? SUITE.exec(line) ?? [];
      if (status) tests.push({ ...nestedName(undefined, [...suites.around(indent.length), title]), status });
      else if (title !== '') suites.enter(indent.length, title);
    }
    return { tests };
  },
};

function readMark(line: string): [RegExpExecArray | null, TestResult['status'] | undefined] {
  const [passed, failed, pending] = [PASSED.exec(line), FAILED.exec(line), PENDING.exec(line)];
  if (passed) return [passed, 'passed'];
  if (failed) return [failed, 'failed'];
  return pending ? [pending, 'skipped'] : [null, undefined];
}

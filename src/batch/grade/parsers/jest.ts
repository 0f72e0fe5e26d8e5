import { nestedName } from './nested-name.js';
import { createSuiteStack } from './suite-stack.js';
import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const FILE = /^\s*(PASS|FAIL)\s+(?:\S+ )??(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$/;
const TEST = /^( +)([✓√✕×○✎]) (.+?)(?: \([\d.]+ m?s\))?$/;
const SUITE = /^( {2,})(\S.*)$/;
/** Sections with failure details or the output of tests. */
const DETAILS = /^ {2}(● |console\.\w+$)/;

const STATUSES: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
};

/** `jest --verbose`. A file that failed as a whole counts as one test. */
export const jestParser: TestParser = {
  recognises: text => /^Test Suites: .*\btotal$/m.test(text),
  parse: text => {
    const tests: TestResult[] = [];
    const suites = createSuiteStack();
    let file: string | undefined;
    let isTree = false;
    for (const line of text.split('\n')) {
      const opened = FILE.exec(line);
      if (opened) {
        [file, isTree] = [opened[2], true];
        suites.clear();
        if (opened[1] === 'FAIL' && file !== undefined) tests.push({ name: file, status: 'failed' });
      } else if (DETAILS.test(line) || line.startsWith('Test Suites:')) isTree = false;
      else if (isTree) tests.push(...readLine(line, file, suites));
    }
    return { tests };
  },
};

function readLine(
  line: string,
  file: string | undefined,
  suites: ReturnType<typeof createSuiteStack>,
): TestResult[] {
  const [, indent = '', mark = '', title = ''] = TEST.exec(line) ?? [];
  if (mark !== '') {
    // jest prints these two before the title of a skipped test.
    const own = title.replace(/^(skipped|todo) /, found => (mark === '○' || mark === '✎' ? '' : found));
    const path = [...suites.around(indent.length), own];
    return [{ ...nestedName(file, path), status: STATUSES[mark] ?? 'skipped' }];
  }
  const suite = SUITE.exec(line);
  if (suite?.[2] !== undefined) suites.enter(suite[1]?.length ?? 0, suite[2]);
  return [];
}

import type { TestResult, TestStatus } from '../test-results.js';
import { nestedName } from './nested-name.js';
import { createSuiteStack } from './suite-stack.js';
import type { TestParser } from './test-parser.js';

const FILE = /^\s*(PASS|FAIL)\s+(?:\S+ )??(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?$/;
const TEST = /^( +)([✓√✕×○✎]) (.+?)(?: \([\d.]+ m?s\))?$/;
const SUITE = /^( {2,})(\S.*)$/;
/** Where failures are told at length, or what a test has printed. */
const DETAILS = /^ {2}(● |console\.\w+$)/;

const STATUSES: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
};

/** `jest --verbose`. A file that failed as a whole is a test of its own. */
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
    // jest writes these two before the title of a test that it leaves out.
    const own = title.replace(/^(skipped|todo) /, found => (mark === '○' || mark === '✎' ? '' : found));
    const path = [...suites.around(indent.length), own];
    return [{ ...nestedName(file, path), status: STATUSES[mark] ?? 'skipped' }];
  }
  const suite = SUITE.exec(line);
  if (suite?.[2] !== undefined) suites.enter(suite[1]?.length ?? 0, suite[2]);
  return [];
}

import { nestedName } from './nested-name.js';
import { createSuiteStack } from './suite-stack.js';
import { tapParser } from './tap.js';
import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const TEST = /^( *)([✔✖﹣⚠]) (.+?) \([\d.]+ms\)(?: # (.*))?$/;
const SUITE = /^( *)▶ (.+?)(?: \([\d.]+ms\))?$/;
const FAILING = /^✖ failing tests:$/;

const STATUSES: Readonly<Record<string, TestStatus>> = { '✔': 'passed', '✖': 'failed' };

/** `node --test`: its reporter `spec`, or `tap`, which is no longer a default in newer versions. */
export const nodeParser: TestParser = {
  recognises: text => /^ℹ (tests|pass) \d+$/m.test(text),
  parse: text =>
    tapParser.recognises(text) && !nodeParser.recognises(text) ? tapParser.parse(text) : parseSpec(text),
};

function parseSpec(text: string): { readonly tests: readonly TestResult[] } {
  const tests: TestResult[] = [];
  const suites = createSuiteStack();
  for (const line of text.split('\n')) {
    // Failures are printed again below, without their suites.
    if (FAILING.test(line)) break;
    const [, indent = '', mark = '', title = ''] = TEST.exec(line) ?? [];
    const suite = SUITE.exec(line);
    if (mark !== '') {
      const path = [...suites.around(indent.length), title];
      tests.push({ ...nestedName(undefined, path), status: STATUSES[mark] ?? 'skipped' });
    } else if (suite?.[2] !== undefined) suites.enter(suite[1]?.length ?? 0, suite[2]);
  }
  return { tests };
}

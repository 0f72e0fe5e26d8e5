import { nestedName } from './nested-name.js';
import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const LINE = /^( *)([✓√×✗↓❯]) (?:\|[^|]+\| )?(.+?)(?: \d+m?s)?$/;
/** A file and how many tests it has. */
const FILE = /^(.+?) \(\d+ tests?\b.*\)$/;
const FAILED = /^ *FAIL {1,2}(?:\|[^|]+\| )?(.+)$/;

const STATUSES: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '√': 'passed',
  '×': 'failed',
  '✗': 'failed',
};

/** Vitest: `verbose` lists every test with its file; the default lists only files with a failure, and counts others. */
export const vitestParser: TestParser = {
  recognises: text => /^ *Test Files +.*\(\d+\)$/m.test(text),
  parse: text => {
    const tests: TestResult[] = [];
    let file: string | undefined;
    for (const line of text.split('\n')) {
      const failed = FAILED.exec(line)?.[1];
      const [, , mark = '', title = ''] = LINE.exec(line) ?? [];
      const whole = FILE.exec(title)?.[1];
      if (failed !== undefined) tests.push(toResult(failed, undefined, 'failed'));
      else if (whole !== undefined) {
        file = whole;
        if (mark !== '❯') tests.push({ name: whole, status: STATUSES[mark] ?? 'skipped' });
      } else if (mark !== '' && mark !== '❯') tests.push(toResult(title, file, STATUSES[mark] ?? 'skipped'));
    }
    return { tests };
  },
};

function toResult(title: string, above: string | undefined, status: TestStatus): TestResult {
  // A file that could not be loaded: `c.test.ts [ c.test.ts ]`.
  const [first = '', ...others] = title.replace(/ \[ .* \]$/, '').split(' > ');
  const hasFile = /\.[cm]?[jt]sx?$/.test(first);
  if (hasFile && others.length === 0) return { name: first, status };
  const path = hasFile ? others : [first, ...others];
  return { ...nestedName(hasFile ? first : above, path), status };
}

import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const RUN = /^=== RUN +(\S+)$/;
const END = /^ *--- (PASS|FAIL|SKIP): (\S+)(?: \(.*\))?$/;
const PACKAGE = /^(ok|FAIL)\s+(\S+)(?:\s+(?:\d|\(cached\)|\[).*)?$/;

const STATUSES: Readonly<Record<string, TestStatus>> = { PASS: 'passed', FAIL: 'failed', SKIP: 'skipped' };

/** `go test -v`. A test that started and never finished, because another one crashed the program, has failed. */
export const goParser: TestParser = {
  recognises: text =>
    /^(=== RUN +|(ok|FAIL)\t\S+\t)/m.test(text) || /^FAIL\s+\S+ \[(build|setup) failed\]$/m.test(text),
  parse: text => {
    const tests: TestResult[] = [];
    let statuses = new Map<string, TestStatus>();
    const finish = (place: string | undefined): void => {
      for (const [name, status] of statuses) tests.push(toResult(place, name, status));
      statuses = new Map();
    };
    for (const line of text.split('\n')) {
      const [begun, ended, closed] = [RUN.exec(line), END.exec(line), PACKAGE.exec(line)];
      if (begun?.[1] !== undefined) statuses.set(begun[1], 'failed');
      if (ended?.[2] !== undefined) statuses.set(ended[2], STATUSES[ended[1] ?? ''] ?? 'failed');
      if (closed?.[2] === undefined) continue;
      finish(closed[2]);
      if (closed[1] === 'FAIL') tests.push({ name: closed[2], status: 'failed' });
    }
    finish(undefined);
    return { tests };
  },
};

const toResult = (place: string | undefined, name: string, status: TestStatus): TestResult =>
  place === undefined
    ? { name, status }
    : { name: `${place} ${name}`, aliases: [name, `${place}.${name}`, `${place}/${name}`], status };

import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const TARGET = /^ +(?:Running (?:unittests )?(\S+)|Doc-tests (\S+))/;
const LINE = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/;
const BEGUN = /^test (.+?)(?: - should panic)? \.\.\. /;
const END_ALONE = /^(ok|FAILED)$/;
const NOT_COMPILED = /^error: could not compile `(.+?)`/;

const STATUSES: Readonly<Record<string, TestStatus>> = {
  ok: 'passed',
  FAILED: 'failed',
  ignored: 'skipped',
};

/** `cargo test`. A crate that does not compile counts as one failed test. */
export const cargoParser: TestParser = {
  recognises: text =>
    /^test result: \w+\. \d+ passed;/m.test(text) || /^error: could not compile `/m.test(text),
  parse: text => {
    const tests: TestResult[] = [];
    let target: string | undefined;
    let begun: string | undefined;
    for (const line of text.split('\n')) {
      const [place, whole, alone] = [TARGET.exec(line), LINE.exec(line), END_ALONE.exec(line)];
      const uncompiled = NOT_COMPILED.exec(line)?.[1];
      if (place) target = place[1] ?? place[2];
      if (uncompiled !== undefined) tests.push({ name: `${uncompiled} compiles`, status: 'failed' });
      if (whole?.[1] !== undefined) tests.push(toResult(target, whole[1], whole[2]));
      else if (alone && begun !== undefined) tests.push(toResult(target, begun, alone[1]));
      // With --nocapture, a test's output is between its name and its result.
      if (whole || alone) begun = undefined;
      else begun = BEGUN.exec(line)?.[1] ?? begun;
    }
    return { tests };
  },
};

function toResult(target: string | undefined, test: string, word: string | undefined): TestResult {
  const status = STATUSES[word ?? ''] ?? 'failed';
  return target === undefined
    ? { name: test, status }
    : { name: `${target}: ${test}`, aliases: [test], status };
}

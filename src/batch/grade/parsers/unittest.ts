import type { TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const ENDING = /^(ok|FAIL|ERROR|skipped\b.*|expected failure|unexpected success)$/;
const ENDING_BEHIND = /\s(ok|FAIL|ERROR)$/;
const MARK = ' ... ';
const TITLE = /^\w+ \([\w.<>]+\)$/;
const HEADING = /^(?:ERROR|FAIL|UNEXPECTED SUCCESS): (.+)$/;

/** `python -m unittest -v` and Django's runner. */
export const unittestParser: TestParser = {
  recognises: text => /^Ran \d+ tests? in /m.test(text),
  parse: text => {
    const tests: TestResult[] = [];
    // The name above a docstring line, and a test whose result comes after its output.
    let title: string | undefined;
    let begun: string | undefined;
    for (const line of text.split('\n')) {
      const [whole, alone, heading] = [readWhole(line), ENDING.test(line), HEADING.exec(line)];
      if (whole) tests.push(toResult(whole.name, title, whole.ending));
      else if (alone && begun !== undefined) tests.push(toResult(begun, title, line));
      else if (heading) tests.push(toResult(heading[1] ?? '', undefined, 'FAIL'));
      if (whole || alone) [begun, title] = [undefined, undefined];
      else if (line.includes(MARK)) begun = line.slice(0, line.indexOf(MARK)).trim();
      else if (TITLE.test(line)) title = line;
    }
    return { tests };
  },
};

/** A name and the result on one line, perhaps with output in between. */
function readWhole(line: string): { readonly name: string; readonly ending: string } | undefined {
  const last = line.lastIndexOf(MARK);
  if (last === -1) return undefined;
  const ending = line.slice(last + MARK.length);
  if (ENDING.test(ending)) return { name: line.slice(0, last).trim(), ending };
  const behind = ENDING_BEHIND.exec(ending)?.[1];
  return behind === undefined
    ? undefined
    : { name: line.slice(0, line.indexOf(MARK)).trim(), ending: behind };
}

/** A test with a docstring is also known by its first line: SWE-bench's lists use it. */
function toResult(shown: string, title: string | undefined, ending: string): TestResult {
  const name = title ?? shown;
  const aliases = [...shortNames(name), ...(title === undefined ? [] : [shown])];
  return { name, aliases, status: toStatus(ending) };
}

function toStatus(ending: string): TestStatus {
  if (ending.startsWith('skipped')) return 'skipped';
  return ending === 'ok' || ending === 'expected failure' ? 'passed' : 'failed';
}

/**
 * Python 3.11 and later print `test_x (module.Class.test_x)`, earlier ones `test_x (module.Class)`; a part of a test
 * (`subTest`) has its parameters after it.
 */
function shortNames(name: string): string[] {
  const [, test, place] = /^(\w+) \(([\w.<>]+)\)/.exec(name) ?? [];
  if (test === undefined || place === undefined) return [];
  const holder = place.endsWith(`.${test}`) ? place.slice(0, -test.length - 1) : place;
  return [`${test} (${place})`, `${test} (${holder})`, `${holder}.${test}`];
}

import { nestedName } from './nested-name.js';
import type { ParsedTests, TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';
import { readTags } from './xml-tags.js';

/** JUnit XML, which most runners can write to a file: pytest --junitxml, node --test-reporter=junit, and others. */
export const junitParser: TestParser = {
  recognises: text => /^\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]{0,500}?-->\s*)?<testsuites?[\s>]/.test(text),
  parse: readCases,
};

interface OpenCase {
  readonly attributes: ReadonlyMap<string, string>;
  readonly suites: readonly string[];
  status: TestStatus;
}

function readCases(text: string): ParsedTests {
  const tests: TestResult[] = [];
  const suites: string[] = [];
  let open: OpenCase | undefined;
  let depth = 0;
  for (const { name, kind, attributes } of readTags(text)) {
    if (kind !== 'close' && name === 'testcase') open = { attributes, suites: [...suites], status: 'passed' };
    else if (kind !== 'close' && open) open.status = statusOf(name, attributes) ?? open.status;
    if (kind === 'open' && name === 'testsuite') suites.push(attributes.get('name') ?? '');
    if (kind === 'close' && name === 'testsuite') suites.pop();
    if (open && name === 'testcase' && kind !== 'open') {
      tests.push(toResult(open));
      open = undefined;
    }
    if (kind !== 'empty') depth += kind === 'open' ? 1 : -1;
  }
  return depth === 0 ? { tests } : { tests, problem: 'the report is truncated' };
}

const STATUSES: Readonly<Record<string, TestStatus>> = {
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
};

/** pytest reports an expected failure as skipped, which is fine: see pytest.ts. */
const statusOf = (name: string, attributes: ReadonlyMap<string, string>): TestStatus | undefined =>
  attributes.get('type') === 'pytest.xfail' ? 'passed' : STATUSES[name];

function toResult({ attributes, suites, status }: OpenCase): TestResult {
  const own = attributes.get('name') ?? '';
  const place = attributes.get('classname') ?? '';
  const { name, aliases = [] } = nestedName(undefined, [...suites.filter(Boolean), own]);
  const inClass = [`${place}.${own}`, `${place} > ${own}`, `${place} ${own}`, `${place}::${own}`];
  const ids = [...pytestIds(place, own), ...fileIds(attributes.get('file'), place, own)];
  return {
    name: place === '' ? name : `${name} (${place})`,
    aliases: [name, ...aliases, ...inClass, ...ids],
    status,
  };
}

/** pytest writes `tests.test_a.TestX` and `test_y` for `tests/test_a.py::TestX::test_y`: any part may be the file. */
function pytestIds(place: string, own: string): string[] {
  const parts = place.split('.');
  return parts.map((_, index) =>
    [`${parts.slice(0, index + 1).join('/')}.py`, ...parts.slice(index + 1), own].join('::'),
  );
}

const fileIds = (file: string | undefined, place: string, own: string): string[] =>
  file === undefined ? [] : [`${file}::${own}`, `${file} > ${own}`, `${file}::${place}::${own}`];

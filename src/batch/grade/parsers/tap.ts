import { nestedName } from './nested-name.js';
import type { ParsedTests, TestParser } from './test-parser.js';
import type { TestResult, TestStatus } from './test-results.js';

const POINT = /^( *)(not )?ok\b(?: +(\d+))?(?: +-)? *(.*)$/;
const PLAN = /^( *)1\.\.(\d+)/;
const SUBTEST = /^( *)# Subtest: (.*)$/;

/** The Test Anything Protocol, with subtests as node and tap indent them. Node marks what tests print as comments. */
export const tapParser: TestParser = {
  recognises: text =>
    /^TAP version \d+$/m.test(text) || (/^1\.\.\d+/m.test(text) && /^(not )?ok\b/m.test(text)),
  parse: text => {
    const tests: TestResult[] = [];
    const subtests = new Map<number, string>();
    let [points, plan] = [0, undefined as number | undefined];
    for (const line of withoutDiagnostics(text)) {
      const subtest = SUBTEST.exec(line);
      if (subtest) subtests.set(indentOf(subtest), readTitle(subtest[2] ?? ''));
      const planned = PLAN.exec(line);
      if (planned && indentOf(planned) === 0) plan = Number(planned[2]);
      const point = POINT.exec(line);
      if (!point) continue;
      if (indentOf(point) === 0) points++;
      tests.push(toResult(point, subtests));
    }
    return { tests, ...checkPlan(points, plan) };
  },
};

const indentOf = (match: RegExpExecArray): number => match[1]?.length ?? 0;

/** Without the YAML block of a test point, which can contain anything. */
function* withoutDiagnostics(text: string): Generator<string> {
  let end: string | undefined;
  for (const line of text.split('\n')) {
    if (end !== undefined) {
      if (line === end) end = undefined;
    } else if (/^ +---$/.test(line)) end = line.replace('---', '...');
    else yield line;
  }
}

function toResult(point: RegExpExecArray, subtests: ReadonlyMap<number, string>): TestResult {
  const indent = indentOf(point);
  const [, title = '', directive = ''] = /^(.*?)(?:\s+#\s*(skip|todo)\b.*)?$/i.exec(point[4] ?? '') ?? [];
  const parents = [...subtests].filter(([depth]) => depth < indent).sort(([a], [b]) => a - b);
  const own = readTitle(title) || `test ${point[3] ?? ''}`.trim();
  const path = [...parents.map(([, name]) => name), own];
  return {
    ...nestedName(undefined, path),
    status: toStatus(point[2] !== undefined, directive.toLowerCase()),
  };
}

/** TODO tests may fail. */
function toStatus(isNotOk: boolean, directive: string): TestStatus {
  if (directive === 'skip' || (directive === 'todo' && isNotOk)) return 'skipped';
  return isNotOk ? 'failed' : 'passed';
}

const readTitle = (title: string): string => title.replaceAll(/\\([\\#])/g, '$1').trim();

/** A runner that was killed has not printed its plan, or not all tests of it. */
function checkPlan(points: number, plan: number | undefined): Pick<ParsedTests, 'problem'> {
  if (points === 0 || plan === points) return {};
  return {
    problem:
      plan === undefined
        ? 'the output ends before the test plan'
        : `${plan} tests were planned and ${points} reported`,
  };
}

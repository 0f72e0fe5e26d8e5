import type { Grader } from '../../../domain/batch/eval-item.js';
import type { GradingBench } from '../grading-context.js';
import { parseTests } from '../parse-tests.js';
import { collectResults, type TestResults } from '../parsers/test-results.js';
import { describeLeftovers, runScript, type ScriptResult } from '../run-script.js';
import { type GradedVerdict, judged, ungraded, type Verdict, verdictOfEnding } from '../verdict.js';
import { graderLimit } from './grader-limit.js';
import { writingAnew } from './shell-text.js';

type TestsGrader = Extract<Grader, { kind: 'tests' }>;

const MOST_REPORT_BYTES = 16 * 1024 ** 2;

/**
 * Runs tests and reads which of them passed. The agent's code runs in them and can print anything, so results
 * that the exit status or another line contradicts are ignored. A report in a file, which only the test runner writes, is
 * better than output: see docs/guides/grading.md.
 */
export async function gradeByTests(bench: GradingBench, grader: TestsGrader): Promise<Verdict> {
  const { run, report } = grader;
  const script = report === undefined ? run : writingAnew(report, run);
  const result = await runScript(bench, script, graderLimit(grader));
  const early = verdictOfEnding(result);
  if (early) return early;
  const text = await readOutput(bench, report, result);
  if (typeof text === 'object') return text;
  const { tests, problem } = parseTests(grader.parser ?? 'auto', text);
  if (tests.length === 0) return ungraded(problem ?? 'no tests were recognised', result.tail || null);
  const results = collectResults(tests);
  const verdict = gradeResults(grader, results, problem ?? findDoubt(result, results));
  const left = report === undefined ? [] : describeLeftovers(result.leftovers);
  return { ...verdict, findings: [...verdict.findings, ...left] };
}

async function readOutput(
  { environment }: GradingBench,
  report: string | undefined,
  { stdout, stderr, truncated, tail }: ScriptResult,
): Promise<string | Verdict> {
  if (report !== undefined) {
    const content = await environment.readFile(report, MOST_REPORT_BYTES);
    return content?.toString('utf8') ?? ungraded(`${report} was not written`, tail || null);
  }
  if (truncated) return ungraded('its output is too large to read', tail || null);
  // One stream after the other: chunks of two streams would split each other's lines.
  return `${stdout.toString('utf8')}\n${stderr.toString('utf8')}`;
}

/** Why the results are ignored. A runner that fails has at least one failed test. */
function findDoubt({ exitCode, words }: ScriptResult, { statuses }: TestResults): string | undefined {
  if (exitCode === 0 || [...statuses.values()].includes('failed')) return undefined;
  return `no test is reported as failed, but the command ${words}`;
}

function gradeResults(grader: TestsGrader, results: TestResults, doubt: string | undefined): GradedVerdict {
  const { failToPass = [], passToPass = [] } = grader;
  const named = [...failToPass, ...passToPass];
  const wanted = named.length > 0 ? named : [...results.statuses.keys()];
  const isPassed = (name: string) => results.statusOf(name) === 'passed';
  const isFine = (name: string) =>
    isPassed(name) || (named.length === 0 && results.statusOf(name) === 'skipped');
  const failed = wanted.filter(name => !isFine(name));
  const share =
    named.length > 0
      ? shareOf(failToPass, isPassed) * shareOf(passToPass, isPassed)
      : shareOf(wanted, isFine);
  const passed = failed.length === 0 && wanted.some(isPassed) && doubt === undefined;
  const score = passed ? 1 : grader.partial && doubt === undefined ? share : 0;
  return judged(score, passed, describe(failed, wanted.length, results, doubt), findingsOf(results, doubt));
}

/** No tests count as all passed. */
const shareOf = (names: readonly string[], isPassed: (name: string) => boolean): number =>
  names.length === 0 ? 1 : names.filter(isPassed).length / names.length;

const MOST_NAMES = 20;

const shorten = (name: string): string => (name.length > 300 ? `${name.slice(0, 300)}…` : name);

function describe(
  failed: readonly string[],
  total: number,
  results: TestResults,
  doubt: string | undefined,
): string {
  const lines = failed
    .slice(0, MOST_NAMES)
    .map(name => `${shorten(name)}: ${results.statusOf(name) ?? 'was not run'}`);
  const more = failed.length - lines.length;
  return [
    `${total - failed.length} of ${total} tests passed.`,
    ...(doubt === undefined ? [] : [`Results ignored: ${doubt}.`]),
    ...lines,
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

function findingsOf({ contradictory }: TestResults, doubt: string | undefined): string[] {
  return [
    ...(doubt === undefined ? [] : [`test results are ignored: ${doubt}`]),
    ...contradictory
      .slice(0, MOST_NAMES)
      .map(name => `${shorten(name)} is reported as passed and as failed; it counts as failed`),
  ];
}

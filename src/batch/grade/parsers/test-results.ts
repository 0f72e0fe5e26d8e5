/** What a test runner says about one test. */
export interface TestResult {
  /** As complete as the output allows: with file, class or suites. */
  readonly name: string;
  /** Other names that datasets use, such as the name without suites. */
  readonly aliases?: readonly string[] | undefined;
  readonly status: TestStatus;
}

export type TestStatus = 'passed' | 'failed' | 'skipped';

/** The results of a run, looked up by name. */
export interface TestResults {
  /** Every test once, by its complete name. */
  readonly statuses: ReadonlyMap<string, TestStatus>;
  /** Tests reported as both passed and failed; they count as failed. */
  readonly contradictory: readonly string[];
  /** Undefined when it was not reported. When several tests have the name, all of them must have passed. */
  statusOf(name: string): TestStatus | undefined;
}

export function collectResults(results: readonly TestResult[]): TestResults {
  const statuses = new Map<string, TestStatus>();
  const contradictory = new Set<string>();
  const fullNames = new Map<string, Set<string>>();
  for (const { name, aliases = [], status } of results) {
    const before = statuses.get(name);
    if (before && before !== status && before !== 'skipped' && status !== 'skipped') contradictory.add(name);
    statuses.set(name, before ? worse(before, status) : status);
    for (const known of [name, firstWord(name), ...aliases]) addTo(fullNames, known, name);
  }
  const statusesOf = (names: Iterable<string>) => Array.from(names, name => statuses.get(name) ?? 'failed');
  return {
    statuses,
    contradictory: [...contradictory],
    statusOf: name =>
      statuses.get(name) ??
      statusesOf(fullNames.get(name) ?? []).reduce<TestStatus | undefined>(worst, undefined),
  };
}

const RANKS: readonly TestStatus[] = ['skipped', 'passed', 'failed'];

/** The runner may skip a test in one place and run it in another, but a test that failed once has failed. */
const worse = (one: TestStatus, other: TestStatus): TestStatus =>
  RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other;

/** For a name of several tests, skipped does not count as passed. */
function worst(one: TestStatus | undefined, other: TestStatus): TestStatus {
  if (one === undefined || one === other) return other;
  return one === 'failed' || other === 'failed' ? 'failed' : 'skipped';
}

/**
 * SWE-bench's own parsers cut output lines at whitespace, so that its lists contain `tests/a.py::test_x[a` for the
 * test `tests/a.py::test_x[a b]`.
 */
const firstWord = (name: string): string => (name.includes('::') ? (name.split(/\s/, 1)[0] ?? name) : name);

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.add(value);
  else map.set(key, new Set([value]));
}

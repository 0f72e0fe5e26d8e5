/** What a test runner says about one test. */
export interface TestResult {
  /** As complete as the output tells: with file, class or suites. */
  readonly name: string;
  /** Other names by which data sets call it, such as its own without the suites. */
  readonly aliases?: readonly string[] | undefined;
  readonly status: TestStatus;
}

export type TestStatus = 'passed' | 'failed' | 'skipped';

/** The results of a run, to be asked by name. */
export interface TestResults {
  /** Of every test once, by its complete name. */
  readonly statuses: ReadonlyMap<string, TestStatus>;
  /** Tests that are said to have passed and to have failed; they count as failed. */
  readonly contradictory: readonly string[];
  /** Undefined when nothing is said about it. When several tests have the name, all of them must have passed. */
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

/** The runner may skip a test in one place and run it in another, but whoever failed once has failed. */
const worse = (one: TestStatus, other: TestStatus): TestStatus =>
  RANKS.indexOf(one) > RANKS.indexOf(other) ? one : other;

/** For a name that stands for several tests, a skipped one is not a passed one. */
function worst(one: TestStatus | undefined, other: TestStatus): TestStatus {
  if (one === undefined || one === other) return other;
  return one === 'failed' || other === 'failed' ? 'failed' : 'skipped';
}

/**
 * SWE-bench's own parsers cut a line of output at white space, so that its lists hold `tests/a.py::test_x[a` for the
 * test `tests/a.py::test_x[a b]`.
 */
const firstWord = (name: string): string => (name.includes('::') ? (name.split(/\s/, 1)[0] ?? name) : name);

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.add(value);
  else map.set(key, new Set([value]));
}

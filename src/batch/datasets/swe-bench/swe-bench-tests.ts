import type { SweBenchRow } from './swe-bench-row.js';

export interface TestCommand {
  readonly run: string;
  readonly parser: 'pytest' | 'unittest' | 'auto';
  /** Programs that the command needs. */
  readonly requires: string[];
}

/** How to run the tests of a row, or why that is unknown. */
export function chooseTestCommand(row: SweBenchRow): TestCommand | string {
  if (row.test_cmd) return { run: row.test_cmd.join('\n'), parser: 'auto', requires: [] };
  const tests = listTestFiles(row.test_patch).filter(file => file.endsWith('.py'));
  switch (row.repo) {
    case 'django/django':
      return inPython(`./tests/runtests.py ${DJANGO_OPTIONS}`, tests.map(toModule), 'unittest');
    case 'sympy/sympy':
      return 'sympy has its own test runner; set test_cmd to a command with the output of pytest';
    default:
      if (!row.FAIL_TO_PASS.every(isPytestName))
        return 'its tests are not pytest tests; set test_cmd to the command that runs them';
      return inPython('-m pytest -rA -p no:cacheprovider', tests, 'pytest');
  }
}

const inPython = (words: string, tests: readonly string[], parser: TestCommand['parser']): TestCommand => ({
  run: ['python3', words, ...tests.map(quote)].join(' '),
  parser,
  requires: ['python3'],
});

const DJANGO_OPTIONS = '--verbosity 2 --settings=test_sqlite --parallel 1';

/** tests/admin_views/tests.py -> admin_views.tests */
const toModule = (file: string): string =>
  file
    .replace(/^tests\//, '')
    .replace(/\.py$/, '')
    .replaceAll('/', '.');

/** `path/test_file.py::name`, or a bare name as in some rows. */
const isPytestName = (name: string): boolean => /\.py(::|$)/.test(name) || /^test\w*(\[.*\])?$/.test(name);

const quote = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Files that exist after the patch is applied. */
function listTestFiles(patch: string): string[] {
  return listSections(patch)
    .filter(section => !/^deleted file mode/m.test(section))
    .flatMap(section => HEAD.exec(section)?.[2] ?? []);
}

/** Every file that a patch touches, under its name before and after. */
export function listTouchedFiles(patch: string): string[] {
  const names = listSections(patch).flatMap(section => HEAD.exec(section)?.slice(1, 3) ?? []);
  return [...new Set(names)];
}

const HEAD = /^diff --git a\/(.+) b\/(.+)$/m;

const listSections = (patch: string): string[] => patch.split(/^(?=diff --git )/m);

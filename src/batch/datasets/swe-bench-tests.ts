import type { SweBenchRow } from './swe-bench-row.js';

export interface TestCommand {
  readonly run: string;
  readonly parser: 'pytest' | 'unittest' | 'auto';
  /** The test files that the test patch changes; what an agent did to them is left out. */
  readonly files: string[];
}

/** How the tests of a row are run, or why nobody knows. */
export function chooseTestCommand(row: SweBenchRow): TestCommand | string {
  const files = listFiles(row.test_patch);
  if (row.test_cmd) return { run: row.test_cmd.join('\n'), parser: 'auto', files };
  const tests = files.filter(file => file.endsWith('.py'));
  switch (row.repo) {
    case 'django/django':
      return {
        run: `./tests/runtests.py ${DJANGO} ${tests.map(toModule).map(quote).join(' ')}`,
        parser: 'unittest',
        files,
      };
    case 'sympy/sympy':
      return 'sympy has a test runner of its own; name a command that prints what pytest does as test_cmd';
    default:
      if (!row.FAIL_TO_PASS.every(isPython))
        return 'its tests are not those of pytest; name the command that runs them as test_cmd';
      return {
        run: `python -m pytest -rA -p no:cacheprovider ${tests.map(quote).join(' ')}`,
        parser: 'pytest',
        files,
      };
  }
}

const DJANGO = '--verbosity 2 --settings=test_sqlite --parallel 1';

/** tests/admin_views/tests.py -> admin_views.tests */
const toModule = (file: string): string =>
  file
    .replace(/^tests\//, '')
    .replace(/\.py$/, '')
    .replaceAll('/', '.');

/** `path/test_file.py::name`, or a bare name as some rows have it. */
const isPython = (name: string): boolean => /\.py(::|$)/.test(name) || /^test\w*(\[.*\])?$/.test(name);

const quote = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The paths after the change; of a removed file the one before. */
function listFiles(patch: string): string[] {
  const heads = patch.matchAll(/^diff --git a\/(.+) b\/(.+)$/gm);
  return [...new Set([...heads].flatMap(([, before = '', after = '']) => [before, after]))];
}

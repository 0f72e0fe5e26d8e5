import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { PYTHON_RUNNER } from './python-runner.js';
import { TYPESCRIPT_TOOLS } from './typescript-tools.js';

/** A task as its author writes it. The tests are files that the agent never sees. */
export interface GoldenTask {
  readonly id: string;
  readonly description: string;
  readonly difficulty: 'easy' | 'medium' | 'hard';
  readonly tags: readonly string[];
  /** What the repository has, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly executable?: readonly string[];
  /** The files of the reference solution, as they are afterwards. */
  readonly solution: Readonly<Record<string, string>>;
  /**
   * A module with tests of node:test; for Python one of unittest. It imports child_process without `node:`, or the check
   * of layers would mistake it for one of our files that starts processes.
   */
  readonly tests: string;
  readonly failToPass: readonly string[];
  readonly passToPass: readonly string[];
}

/** Where hidden files lie. Their results go into a report, so nothing that a program prints counts. */
const PLACE = '.grading';
const REPORT = `${PLACE}/report.xml`;
const NODE_TESTS = `${PLACE}/hidden.test.mjs`;
// Without --test, which would start a second Node and read results from what that one prints.
const NODE_COMMAND = `--test-reporter=junit --test-reporter-destination=${REPORT} ${NODE_TESTS}`;

/**
 * Whatever ends the tests before they have reported is a failed test of its own: code that can't be loaded or that exits
 * in their midst is the agent's fault, not the grader's.
 */
const RUNNER = `
command -v "$1" > /dev/null || exit 127
"$@"
status=$?
case "$(cat ${REPORT})" in *'<testcase'*'</testsuite'*)
  [ "$status" -eq 0 ]
  exit
esac
echo '<testsuite><testcase name="reported"><failure message="the tests ended before"/></testcase></testsuite>' > ${REPORT}
exit 1
`.trimStart();

export const javascriptTask = (task: GoldenTask): EvalItem =>
  toItem(task, {
    language: 'javascript',
    requires: ['node'],
    files: { 'package.json': packageFile(task.id, 'node --test'), ...task.files },
    hidden: { [NODE_TESTS]: task.tests },
    run: `node ${NODE_COMMAND}`,
  });

/** The tests start the script as its users do, and see what it prints and makes. */
export const shellTask = (task: GoldenTask): EvalItem =>
  toItem(task, {
    language: 'shell',
    requires: ['node', 'sh'],
    files: task.files,
    hidden: { [NODE_TESTS]: task.tests },
    run: `node ${NODE_COMMAND}`,
  });

export const typescriptTask = (task: GoldenTask): EvalItem =>
  toItem(task, {
    language: 'typescript',
    requires: ['node'],
    files: {
      'package.json': packageFile(task.id, 'node --import ./tools/typescript.mjs --test test/*.test.ts'),
      ...toolsIn('tools'),
      ...task.files,
    },
    hidden: { ...toolsIn(`${PLACE}/tools`), [NODE_TESTS]: task.tests },
    run: `node --import ./${PLACE}/tools/typescript.mjs ${NODE_COMMAND}`,
  });

export const pythonTask = (task: GoldenTask): EvalItem =>
  toItem(task, {
    language: 'python',
    requires: ['python3'],
    files: task.files,
    hidden: { [`${PLACE}/run.py`]: PYTHON_RUNNER, [`${PLACE}/hidden_tests.py`]: task.tests },
    run: `python3 -B ${PLACE}/run.py`,
  });

interface Kind {
  readonly language: string;
  readonly requires: string[];
  readonly files: Readonly<Record<string, string>>;
  readonly hidden: Readonly<Record<string, string>>;
  readonly run: string;
}

function toItem(task: GoldenTask, { language, requires, files, hidden, run }: Kind): EvalItem {
  return {
    id: task.id,
    description: task.description.trim(),
    base: { kind: 'files', files: { ...files }, executable: [...(task.executable ?? [])] },
    language,
    difficulty: task.difficulty,
    tags: [...task.tags],
    requires,
    timeout: '10m',
    solution: { kind: 'files', files: { ...task.solution } },
    hidden: { [`${PLACE}/run.sh`]: RUNNER, ...hidden },
    protect: [PLACE],
    graders: [
      {
        kind: 'tests',
        name: 'hidden tests',
        run: `sh ${PLACE}/run.sh ${run}`,
        parser: 'junit',
        report: REPORT,
        failToPass: [...task.failToPass],
        passToPass: [...task.passToPass],
        timeout: '2m',
      },
    ],
  };
}

const packageFile = (name: string, test: string): string =>
  `${JSON.stringify({ name, private: true, type: 'module', scripts: { test } }, null, 2)}\n`;

const toolsIn = (directory: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(TYPESCRIPT_TOOLS).map(([name, content]) => [`${directory}/${name}`, content]),
  );

import { type GradedWork, gradeWork } from '../../../src/batch/grade/grade-work.js';
import type { EvalItem, Grader } from '../../../src/domain/batch/eval-item.js';
import { type Changes, patchOf, plainEnvironment } from './plain-environment.js';

export interface Work {
  readonly base?: Record<string, string>;
  readonly changes?: Changes;
  readonly graders: readonly Grader[];
  readonly item?: Partial<EvalItem>;
  readonly withReset?: boolean;
  /** As a patch, for what git itself would stumble over. */
  readonly moreChanges?: string;
  readonly signal?: AbortSignal;
  readonly onLine?: (text: string, directory: string) => void;
}

export const BASE = { 'answer.txt': 'wrong\n' };

/** Grades changes to a base as a batch does, in a directory of the test's own. */
export async function gradeChanges(work: Work) {
  const {
    base = BASE,
    changes = {},
    moreChanges = '',
    graders,
    item,
    withReset = true,
    signal,
    onLine,
  } = work;
  const environment = plainEnvironment(base);
  const patch = Object.keys(changes).length === 0 ? Buffer.alloc(0) : await patchOf(environment, changes);
  const lines: string[] = [];
  const graded = await gradeWork({
    item: {
      id: 'task',
      description: 'Do it.',
      base: { kind: 'files', files: base },
      graders: [...graders],
      ...item,
    },
    environment,
    patch: Buffer.concat([patch, Buffer.from(moreChanges)]),
    signal: signal ?? new AbortController().signal,
    onLine: (stream, text) => {
      lines.push(`${stream}: ${text}`);
      onLine?.(text, environment.workingDirectory);
    },
    reset: withReset ? environment.reset : undefined,
  });
  return { ...graded, lines, environment };
}

/** `passed score` of every grade, or why it gave no result. */
export const brief = ({ grades }: GradedWork): string[] =>
  grades.map(({ passed, score, error }) => (error === null ? `${passed} ${score}` : `error: ${error}`));

export const RIGHT: Changes = { 'answer.txt': 'right\n' };
/** What `RIGHT` passes and `BASE` does not. */
export const COMMAND: Grader = { kind: 'command', run: 'test "$(cat answer.txt)" = right' };

/** A command that prints these lines. */
export const print = (text: string) =>
  `printf '%s\\n' ${text
    .split('\n')
    .map(line => `'${line}'`)
    .join(' ')}`;

export const testsGrader = (run: string, extra: object = {}): Grader => ({ kind: 'tests', run, ...extra });

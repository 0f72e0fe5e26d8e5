import type { Grader } from '../../../domain/batch/eval-item.js';
import { formatSize } from '../../../domain/text/format-quantity.js';
import type { Expectation } from '../../../domain/workflow/validation.js';
import { findPattern } from '../../../operations/task/find-pattern.js';
import { putBack, UNTOUCHED } from '../copy/restore-hidden-files.js';
import type { GradingBench } from '../grading-context.js';
import { runScript } from '../run-script.js';
import { judged, ungraded, type Verdict, verdictOfEnding } from '../verdict.js';
import { graderLimit } from './grader-limit.js';

type FilesGrader = Extract<Grader, { kind: 'files' }>;
type ContentExpectation = Extract<Expectation, { kind: 'file-contains' | 'file-not-contains' }>;

const MOST_BYTES = 16 * 1024 ** 2;

/** All expectations must hold; with `partial` the score is the part that holds. */
export async function gradeByFiles(bench: GradingBench, grader: FilesGrader): Promise<Verdict> {
  const problems: string[] = [];
  const findings: string[] = [];
  for (const [at, expectation] of grader.expect.entries()) {
    const before = at === 0 ? UNTOUCHED : await putBack(bench);
    if (before.lost) return before.lost;
    findings.push(...before.findings);
    const answer = await examine(bench, grader, expectation);
    if (typeof answer === 'object') return answer;
    if (answer !== undefined) problems.push(`${describe(expectation)}: ${answer}`);
  }
  const share = 1 - problems.length / grader.expect.length;
  const passed = problems.length === 0;
  return judged(passed || grader.partial ? share : 0, passed, problems.join('\n') || null, findings);
}

/** The problem, undefined when there is none, or a verdict for the whole grader when it cannot be determined. */
async function examine(
  bench: GradingBench,
  grader: FilesGrader,
  expectation: Expectation,
): Promise<string | undefined | Verdict> {
  if ('run' in expectation) {
    const timeout = expectation.timeout ?? grader.timeout;
    const result = await runScript(bench, expectation.run, graderLimit({ timeout }));
    const verdict = verdictOfEnding(result) ?? (await bench.doubt?.(expectation.run));
    return verdict ?? (result.exitCode === 0 ? undefined : `it ${result.words}`);
  }
  const content = await bench.environment.readFile(expectation.path, MOST_BYTES);
  // Also for `file-not-contains`: removing the file does not satisfy it.
  if (!content) return `no such file of at most ${formatSize(MOST_BYTES)}`;
  return expectation.kind === 'file-exists' ? undefined : search(bench, content, expectation);
}

async function search(
  { signal }: GradingBench,
  content: Buffer,
  { kind, text, pattern }: ContentExpectation,
): Promise<string | undefined | Verdict> {
  const found =
    pattern === undefined
      ? content.includes(text ?? '')
      : await findPattern(content.toString('utf8'), pattern, signal);
  if (found === 'gave-up') return ungraded('matching a pattern against a file takes too long');
  const isThere = found !== undefined && found !== false;
  if (isThere === (kind === 'file-contains')) return undefined;
  return isThere ? 'it is in the file' : 'it is not in the file';
}

function describe(expectation: Expectation): string {
  if (expectation.name !== undefined) return expectation.name;
  if ('run' in expectation) return expectation.run;
  const { kind, path } = expectation;
  if (kind === 'file-exists') return `${path} exists`;
  const { text, pattern } = expectation;
  const wanted = text === undefined ? `/${pattern}/` : JSON.stringify(text);
  return `${path} ${kind === 'file-contains' ? 'contains' : 'does not contain'} ${wanted}`;
}

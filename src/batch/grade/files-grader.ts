import type { Grader } from '../../domain/eval-item.js';
import { formatSize } from '../../domain/quantity.js';
import type { Expectation } from '../../domain/validation.js';
import { findPattern } from '../../operations/find-pattern.js';
import { graderLimit } from './grader-limit.js';
import type { GradingBench } from './grading-bench.js';
import { putBack, UNTOUCHED } from './put-back.js';
import { runScript } from './run-script.js';
import { judged, unjudged, type Verdict, verdictOfEnding } from './verdict.js';

type FilesGrader = Extract<Grader, { kind: 'files' }>;
type ContentExpectation = Extract<Expectation, { kind: 'file-contains' | 'file-not-contains' }>;

const MOST_BYTES = 16 * 1024 ** 2;

/** All that is expected must be true; with `partial` a part of it is a part of the score. */
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

/** What is wrong, undefined when nothing is, or a verdict about the whole when nobody can tell. */
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
  // Also for `file-not-contains`: an agent that removes the file has not met it.
  if (!content) return `there is no such file of at most ${formatSize(MOST_BYTES)}`;
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
  if (found === 'gave-up') return unjudged('a pattern takes too long for a file');
  const isThere = found !== undefined && found !== false;
  if (isThere === (kind === 'file-contains')) return undefined;
  return isThere ? 'it is in the file' : 'it is not in the file';
}

function describe(expectation: Expectation): string {
  if (expectation.name !== undefined) return expectation.name;
  if ('run' in expectation) return expectation.run;
  const { kind, path } = expectation;
  if (kind === 'file-exists') return `${path} is there`;
  const { text, pattern } = expectation;
  const wanted = text === undefined ? `/${pattern}/` : JSON.stringify(text);
  return `${path} ${kind === 'file-contains' ? 'contains' : 'does not contain'} ${wanted}`;
}

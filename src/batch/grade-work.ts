import type { Grade } from '../domain/attempt.js';
import type { EvalItem, Grader } from '../domain/eval-item.js';
import type { GradingBench } from './grade/grading-bench.js';
import { type HiddenFiles, restoreHidden } from './grade/hidden-files.js';
import { judge } from './grade/judge.js';
import { prepareCopy } from './grade/prepare-copy.js';
import { preparePatch } from './grade/prepare-patch.js';
import { putBack, UNTOUCHED } from './grade/put-back.js';
import { findRewritten } from './grade/rewritten-files.js';
import type { Verdict } from './grade/verdict.js';
import type { TaskEnvironment } from './isolation-provider.js';

export interface GradeRequest {
  readonly item: EvalItem;
  /** Fresh: at the base, and no agent has seen it. */
  readonly environment: TaskEnvironment;
  /** Everything that the agent changed since the base. */
  readonly patch: Buffer;
  readonly signal: AbortSignal;
  readonly onLine?: GradingBench['onLine'];
  /**
   * Brings the environment back to the base. When a grader can't judge, it is asked again without the agent's changes:
   * if it can then, they are the cause and count as failed. Left out, that is never tried.
   */
  readonly reset?: (() => Promise<void>) | undefined;
}

export interface GradedWork {
  /** One for each grader of the item, in its order; none with `infrastructure`. */
  readonly grades: readonly Grade[];
  /** From 0 to 1: the mean of the graders' scores by their weights. */
  readonly score: number;
  /** Whether every grader passed. */
  readonly passed: boolean;
  /** What the agent did that had no effect, and what was not believed. */
  readonly findings: readonly string[];
  /** Why nothing could be graded: the machine's fault, or the signal. */
  readonly infrastructure?: string | undefined;
}

/**
 * Judges an agent's changes in a copy that it never saw: setup, its changes without those to the graders' own files,
 * hidden files, then one grader after the other.
 */
export async function gradeWork(request: GradeRequest): Promise<GradedWork> {
  const { item, environment, signal, onLine, patch } = request;
  const { sections, findings } = preparePatch(item, patch);
  const bench: GradingBench = { item, environment, sections, signal, onLine };
  const copy = await prepareCopy(bench);
  if (signal.aborted) return unfinished('grading was cancelled', findings);
  if ('fault' in copy)
    return copy.fault === 'item'
      ? conclude(item.graders.map(couldNot(copy.problem)), findings)
      : unfinished(copy.problem, findings);
  const answers = await blame(request, bench, await askAll(bench, item.graders, copy.hidden));
  return signal.aborted ? unfinished('grading was cancelled', findings) : conclude(answers, findings);
}

const unfinished = (infrastructure: string, findings: readonly string[]): GradedWork => ({
  grades: [],
  score: 0,
  passed: false,
  findings,
  infrastructure,
});

interface Answer {
  readonly grader: Grader;
  readonly verdict: Verdict;
  readonly durationMs: number;
}

const couldNot =
  (reason: string) =>
  (grader: Grader): Answer => ({
    grader,
    verdict: { kind: 'unjudged', reason, detail: null },
    durationMs: 0,
  });

async function askAll(
  bench: GradingBench,
  graders: readonly Grader[],
  hidden: HiddenFiles,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const restore = () => restoreHidden(bench, hidden);
  const doubt = (run: string) => findRewritten(bench.environment, hidden, run);
  for (const grader of graders) {
    // Not the time of day, which whoever runs on the machine may set.
    const startedAt = performance.now();
    const verdict = await ask({ ...bench, restore, doubt }, grader, answers.length === 0);
    answers.push({ grader, verdict, durationMs: Math.round(performance.now() - startedAt) });
    if (verdict.kind === 'broken') break;
  }
  return answers;
}

async function ask(bench: GradingBench, grader: Grader, isFirst: boolean): Promise<Verdict> {
  const { lost, findings } = isFirst ? UNTOUCHED : await putBack(bench);
  if (lost) return lost;
  const verdict = await judge(bench, grader);
  if (verdict.kind !== 'judged') return verdict;
  const doubt = 'run' in grader ? await bench.doubt?.(grader.run) : undefined;
  return {
    ...(doubt ?? verdict),
    findings: [...findings, ...verdict.findings, ...(doubt?.findings ?? [])],
  };
}

/**
 * A grader that could not judge is at fault when it can't without the agent's changes either. Else an agent would do
 * better with code that hangs or breaks the tests, which counts for nobody, than with code that fails them.
 */
async function blame(
  { reset }: GradeRequest,
  bench: GradingBench,
  answers: readonly Answer[],
): Promise<readonly Answer[]> {
  const open = answers.filter(({ verdict }) => verdict.kind === 'unjudged').map(({ grader }) => grader);
  if (!reset || open.length === 0 || bench.sections.length === 0) return answers;
  await reset();
  bench.onLine?.('activity', "Again without the agent's changes, because a grader could not judge:");
  const base: GradingBench = { ...bench, sections: [] };
  const copy = await prepareCopy(base);
  if (bench.signal.aborted || 'fault' in copy) return answers;
  const without = await askAll(base, open, copy.hidden);
  const able = new Set(
    without.filter(({ verdict }) => verdict.kind === 'judged').map(({ grader }) => grader),
  );
  return answers.map(answer => (able.has(answer.grader) ? toFailure(answer) : answer));
}

function toFailure(answer: Answer): Answer {
  const { verdict } = answer;
  if (verdict.kind !== 'unjudged') return answer;
  const words = `The grader could not judge the changes (${verdict.reason}); without them it can.`;
  const detail = [words, verdict.detail ?? ''].join('\n').trimEnd();
  return { ...answer, verdict: { kind: 'judged', score: 0, passed: false, detail, findings: [] } };
}

function conclude(answers: readonly Answer[], before: readonly string[]): GradedWork {
  const findings = [...before];
  for (const { verdict } of answers) {
    if (verdict.kind === 'broken') return unfinished(verdict.reason, before);
    if (verdict.kind === 'judged') findings.push(...verdict.findings);
  }
  const grades = answers.map(toGrade);
  const weight = grades.reduce((sum, grade) => sum + grade.weight, 0);
  const score = grades.reduce((sum, grade) => sum + grade.weight * grade.score, 0) / weight;
  return { grades, score, passed: grades.every(grade => grade.passed), findings: [...new Set(findings)] };
}

function toGrade({ grader, verdict, durationMs }: Answer): Grade {
  const { kind, weight = 1, name = 'run' in grader ? grader.run : kind } = grader;
  const { detail } = verdict.kind === 'broken' ? { detail: null } : verdict;
  return verdict.kind === 'judged'
    ? { name, kind, weight, score: verdict.score, passed: verdict.passed, detail, error: null, durationMs }
    : { name, kind, weight, score: 0, passed: false, detail, error: verdict.reason, durationMs };
}

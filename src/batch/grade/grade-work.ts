import type { Grade } from '../../domain/batch/attempt.js';
import type { EvalItem, Grader } from '../../domain/batch/eval-item.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { type HiddenFiles, restoreHidden } from './copy/hidden-files.js';
import { prepareCopy } from './copy/prepare-copy.js';
import { preparePatch } from './copy/prepare-patch.js';
import { putBack, UNTOUCHED } from './copy/restore-hidden-files.js';
import { findRewritten } from './copy/rewritten-files.js';
import { gradeByCommand } from './graders/command-grader.js';
import { gradeByDiff } from './graders/diff-grader.js';
import { gradeByFiles } from './graders/files-grader.js';
import { gradeByReward } from './graders/reward-grader.js';
import { gradeByTests } from './graders/tests-grader.js';
import type { GradingBench } from './grading-context.js';
import type { Verdict } from './verdict.js';

export interface GradeRequest {
  readonly item: EvalItem;
  /** Fresh: at the base, never used by an agent. */
  readonly environment: TaskEnvironment;
  /** Everything that the agent changed since the base. */
  readonly patch: Buffer;
  readonly signal: AbortSignal;
  readonly onLine?: GradingBench['onLine'];
  /**
   * Resets the environment to the base. When a grader fails to give a result, it runs again without the agent's changes:
   * if it works then, the changes are the cause and count as failed. Without this function, that is not tried.
   */
  readonly reset?: (() => Promise<void>) | undefined;
}

export interface GradedWork {
  /** One per grader of the item, in order; empty with `infrastructure`. */
  readonly grades: readonly Grade[];
  /** From 0 to 1: the weighted mean of the graders' scores. */
  readonly score: number;
  /** Whether every grader passed. */
  readonly passed: boolean;
  /** Changes of the agent that had no effect, and results that were ignored. */
  readonly findings: readonly string[];
  /** Why nothing could be graded: an infrastructure failure, or the signal. */
  readonly infrastructure?: string | undefined;
}

/**
 * Grades an agent's changes in a copy that it never saw: setup, its changes without those to the graders' own files,
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
    // Uses the monotonic clock: the time of day can be changed.
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
  const verdict = await runGrader(bench, grader);
  if (verdict.kind !== 'judged') return verdict;
  const doubt = 'run' in grader ? await bench.doubt?.(grader.run) : undefined;
  return {
    ...(doubt ?? verdict),
    findings: [...findings, ...verdict.findings, ...(doubt?.findings ?? [])],
  };
}

/** Runs one grader. */
async function runGrader(bench: GradingBench, grader: Grader): Promise<Verdict> {
  switch (grader.kind) {
    case 'command':
      return await gradeByCommand(bench, grader);
    case 'tests':
      return await gradeByTests(bench, grader);
    case 'files':
      return await gradeByFiles(bench, grader);
    case 'reward':
      return await gradeByReward(bench, grader);
    case 'diff':
      return gradeByDiff(bench, grader);
  }
}

/**
 * A grader without a result is at fault when it also fails without the agent's changes. Otherwise an agent would do
 * better with code that hangs or breaks the tests, which is not counted, than with code that fails them.
 */
async function blame(
  { reset }: GradeRequest,
  bench: GradingBench,
  answers: readonly Answer[],
): Promise<readonly Answer[]> {
  const open = answers.filter(({ verdict }) => verdict.kind === 'unjudged').map(({ grader }) => grader);
  if (!reset || open.length === 0 || bench.sections.length === 0) return answers;
  await reset();
  bench.onLine?.(
    'activity',
    "Running graders again without the agent's changes, because one gave no result:",
  );
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
  const words = `The grader could not grade the changes (${verdict.reason}); without them it works.`;
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

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPlace } from '../../../src/batch/record/run-place.js';
import type { Attempt } from '../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { isGraded, totalOf } from '../../../src/domain/batch/outcome-rules.js';

/** An attempt that passed, with the fields that a test sets. */
export function sampleAttempt(attempt: Partial<Attempt> = {}): Attempt {
  const { taskId = 'fix-typo-001', attempt: number = 1, outcome = 'passed' } = attempt;
  const place = join('attempts', taskId, String(number));
  const passed = outcome === 'passed';
  return {
    taskId,
    attempt: number,
    identity: 'a'.repeat(32),
    itemHash: 'b'.repeat(32),
    outcome,
    score: passed ? 1 : 0,
    graders: isGraded(outcome)
      ? [
          {
            name: 'tests',
            kind: 'tests',
            weight: 1,
            score: passed ? 1 : 0,
            passed,
            detail: passed ? '3 of 3 tests' : '1 of 3 tests: adds, subtracts',
            error: null,
            durationMs: 800,
          },
        ]
      : [],
    usage: { inputTokens: 12_000, outputTokens: 900, costUsd: 0.04 },
    costUsd: 0.04,
    startedAt: '2026-03-02T12:00:00.000Z',
    durationMs: 42_000,
    timings: { acquireMs: 20, setupMs: 100, agentMs: 40_000, collectMs: 30, gradeMs: 1800, releaseMs: 50 },
    exitCode: 0,
    setupExitCode: null,
    message: passed ? 'Corrected the greeting.' : 'I could not find it.',
    findings: [],
    patchPath: join(place, 'patch.diff'),
    logPath: join(place, 'agent.log'),
    worktreePath: null,
    awaitsGrading: false,
    retries: 0,
    environment: { isolation: 'worktree', runtime: 'host', node: '20.19.0' },
    ...attempt,
  };
}

/** A finished run of three golden tasks, one of which failed, with the fields that a test sets. */
export function sampleRun(run: Partial<BatchRun> = {}): BatchRun {
  const attempts = run.attempts ?? [
    sampleAttempt({ taskId: 'fix-typo-001' }),
    sampleAttempt({ taskId: 'fix-import-001', durationMs: 61_000, costUsd: 0.11 }),
    sampleAttempt({ taskId: 'fix-type-error-001', outcome: 'failed', durationMs: 90_000, costUsd: 0.2 }),
  ];
  const taskIds = run.taskIds ?? [...new Set(attempts.map(({ taskId }) => taskId))];
  const attemptsPerTask = run.attemptsPerTask ?? Math.max(1, ...attempts.map(({ attempt }) => attempt));
  const totals = totalsOf(attempts, taskIds.length * attemptsPerTask);
  return {
    id: 'run_0123456789abcdef',
    dataset: 'golden',
    taskIds,
    labels: Object.fromEntries(taskIds.map(id => [id, sampleLabels(id)])),
    skipped: [],
    agent: 'claude',
    model: null,
    isolation: 'worktree',
    parallelism: 3,
    attemptsPerTask,
    costLimitUsd: 5,
    timeoutMs: 600_000,
    gate: null,
    seed: null,
    keepFailed: false,
    createdAt: '2026-03-02T12:00:00.000Z',
    environment: { carrel: '0.1.0', node: '20.19.0', git: '2.39.5', platform: 'linux x64' },
    directory: '/state/runs/run_0123456789abcdef',
    status: 'finished',
    durationMs: 95_000,
    ...totals,
    spentUsd: run.costUsd === undefined ? totals.costUsd : run.costUsd,
    ...run,
    attempts,
  };
}

const sampleLabels = (taskId: string) => ({
  language: taskId.includes('type') ? 'typescript' : 'javascript',
  difficulty: 'easy',
  tags: ['golden', taskId.split('-')[0] ?? 'other'],
});

function totalsOf(attempts: readonly Attempt[], asked: number) {
  const count = (total: string) => attempts.filter(({ outcome }) => totalOf(outcome) === total).length;
  const totals = {
    passed: count('passed'),
    failed: count('failed'),
    errors: count('errors'),
    cancelled: count('cancelled'),
  };
  const judged = totals.passed + totals.failed;
  const costs = attempts.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    totals,
    passRate: judged === 0 ? null : totals.passed / judged,
    passRateOfAll: asked === 0 ? null : totals.passed / asked,
    passAtK: judged === 0 ? {} : { 1: totals.passed / judged },
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

/** Writes the patch and the log of an attempt to where its run keeps them. */
export function writeAttemptFiles(
  directory: string,
  attempt: Attempt,
  patch: string | Buffer,
  log = '',
): void {
  const place = runPlace(directory).attempt(attempt.taskId, attempt.attempt);
  mkdirSync(place.directory, { recursive: true });
  writeFileSync(place.patchFile, patch);
  writeFileSync(place.logFile, log);
}

import type { Stage, Task } from '../../../src/domain/task/task.js';

export const SAMPLE_NOW = Date.parse('2026-03-02T12:10:00.000Z');

/** A stage that has not begun, with the fields that a test sets. */
export function sampleStage(stage: Partial<Stage> & Pick<Stage, 'name'>): Stage {
  return {
    agent: 'developer',
    status: 'pending',
    startedAt: null,
    endedAt: null,
    attempts: 0,
    exitCode: null,
    outputs: [],
    usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
    changed: null,
    commit: null,
    message: null,
    workspaceName: null,
    warnings: [],
    ...stage,
  };
}

export const plannedStage = sampleStage({
  name: 'planning',
  agent: 'planner',
  status: 'succeeded',
  startedAt: '2026-03-02T12:00:00.000Z',
  endedAt: '2026-03-02T12:00:42.000Z',
  attempts: 1,
  exitCode: 0,
  outputs: [{ name: 'plan', file: '/state/tasks/t/outputs/planning/plan.md', bytes: 2048, source: 'file' }],
  usage: { inputTokens: 2900, outputTokens: 200, costUsd: 0.02 },
  changed: false,
  commit: '1'.repeat(40),
  message: 'Here is the plan.',
});

export const runningStage = sampleStage({
  name: 'implementation',
  status: 'running',
  startedAt: '2026-03-02T12:00:42.000Z',
  attempts: 2,
  usage: { inputTokens: 12_000, outputTokens: 400, costUsd: 0.1 },
});

/** A task of three stages in the middle of its second one, with the fields that a test sets. */
export function sampleTask(task: Partial<Task> = {}): Task {
  return {
    id: 'task_0123456789abcdef',
    description: 'add a dark mode',
    repository: '/code/api',
    workflow: 'feature',
    agent: null,
    status: 'running',
    priority: 0,
    isolation: { requested: 'full', effective: 'full', reason: null },
    workspaceId: 'ws_0123456789abcdef',
    workspaceName: 'add-a-dark-mode',
    worktreePath: '/cache/carrel/worktrees/api/add-a-dark-mode',
    workspaceKept: true,
    branch: 'carrel/add-a-dark-mode',
    base: '1'.repeat(40),
    head: '1'.repeat(40),
    stages: [plannedStage, runningStage, sampleStage({ name: 'review', agent: 'reviewer' })],
    validation: [],
    usage: { inputTokens: 14_900, outputTokens: 600, costUsd: 0.12 },
    runs: [{ startedAt: '2026-03-02T12:00:00.000Z', endedAt: null, outcome: 'running' }],
    landed: null,
    published: null,
    warnings: [],
    createdAt: '2026-03-02T11:59:58.000Z',
    endedAt: null,
    ...task,
  };
}

/** The same when everything went well and the workspace was cleaned up. */
export function succeededTask(task: Partial<Task> = {}): Task {
  const done = {
    status: 'succeeded',
    endedAt: '2026-03-02T12:05:00.000Z',
    exitCode: 0,
    attempts: 1,
  } as const;
  return sampleTask({
    status: 'succeeded',
    head: '2'.repeat(40),
    workspaceKept: false,
    stages: [
      plannedStage,
      { ...runningStage, ...done, changed: true, commit: '2'.repeat(40), message: 'Done: see src/theme.ts.' },
    ],
    validation: [
      { name: 'tests', kind: 'tests', passed: true, detail: null, durationMs: 12_000 },
      { name: 'src/theme.ts', kind: 'file-exists', passed: true, detail: null, durationMs: 1 },
    ],
    runs: [
      { startedAt: '2026-03-02T12:00:00.000Z', endedAt: '2026-03-02T12:05:12.000Z', outcome: 'succeeded' },
    ],
    endedAt: '2026-03-02T12:05:12.000Z',
    ...task,
  });
}

/** The same when its second stage failed for good. */
export function failedTask(task: Partial<Task> = {}): Task {
  const failure = {
    kind: 'checks-failed',
    stage: 'implementation',
    message: 'the check "npm test" ended with status 1',
    hint: 'look at its output, then: carrel task retry task_0123456789abcdef',
    output: 'not ok 1 - dark mode\n  expected \u001b[31mtrue\u001b[0m, got false\n',
  } as const;
  const end = { status: 'failed', endedAt: '2026-03-02T12:05:00.000Z', exitCode: 0 } as const;
  return sampleTask({
    status: 'failed',
    isolation: { requested: 'full', effective: 'worktree', reason: 'bubblewrap is not installed' },
    stages: [
      plannedStage,
      { ...runningStage, ...end, changed: true, commit: '2'.repeat(40), failure },
      sampleStage({ name: 'review', agent: 'reviewer' }),
    ],
    failure,
    runs: [
      { startedAt: '2026-03-02T12:00:00.000Z', endedAt: '2026-03-02T12:02:00.000Z', outcome: 'interrupted' },
      { startedAt: '2026-03-02T12:03:00.000Z', endedAt: '2026-03-02T12:05:01.000Z', outcome: 'failed' },
    ],
    warnings: ['the agent left the branch other, which stays'],
    endedAt: '2026-03-02T12:05:01.000Z',
    ...task,
  });
}

import pc from 'picocolors';
import { expect, it } from 'vitest';
import {
  failedTask,
  SAMPLE_NOW,
  sampleTask,
  succeededTask,
} from '../../../../../test/helpers/task/sample-task.js';
import { createLogFormatter } from './log-lines.js';
import { formatNextCommands } from './next-commands.js';
import { formatTaskPage } from './task-page.js';
import { formatTaskResult } from './task-result.js';
import { formatTaskTable } from './task-table.js';

const paint = pc.createColors(false);
const page = (task: Parameters<typeof formatTaskPage>[0]) => formatTaskPage(task, paint, SAMPLE_NOW);
const result = (task: Parameters<typeof formatTaskResult>[0]) => formatTaskResult(task, paint, SAMPLE_NOW);

it('shows the result of a task that succeeded, where its work is and the next commands', () => {
  expect(result(succeededTask())).toMatchInlineSnapshot(`
    "✓ task_0123456789abcdef succeeded after 5m 12s
      branch  carrel/add-a-dark-mode at 222222222222
      usage   16k tokens, $0.12

    Validation:
      ✓ tests (12s)
      ✓ src/theme.ts (0s)

    Next:
      git diff 111111111111...carrel/add-a-dark-mode            see what changed
      carrel land task_0123456789abcdef                         land it on the branch it started from
      carrel task publish task_0123456789abcdef --pull-request  or open a pull request"
  `);
});

it('shows what failed, with the end of the output, the reason for weaker isolation and where the files are', () => {
  expect(result(failedTask())).toMatchInlineSnapshot(`
    "✗ task_0123456789abcdef failed after 4m 01s
      branch     carrel/add-a-dark-mode at 111111111111, nothing committed
      workspace  /cache/carrel/worktrees/api/add-a-dark-mode
      isolation  full→worktree (bubblewrap is not installed)
      usage      16k tokens, $0.12

    Failure:
      the check "npm test" ended with status 1
        | not ok 1 - dark mode
        |   expected true, got false
      hint: look at its output, then: carrel task retry task_0123456789abcdef

    Warnings:
      the agent left the branch other, which stays

    Next:
      carrel task logs task_0123456789abcdef   read its log
      carrel diff add-a-dark-mode              see what changed
      carrel task retry task_0123456789abcdef  resume after the last successful stage"
  `);
});

it('shows the reason for weaker isolation once, and no warning that narration has printed', () => {
  const warning = 'isolation is worktree instead of full: bubblewrap is not installed';
  const task = failedTask({ warnings: [warning, 'another'] });
  expect(result(task).match(/bubblewrap is not installed/g)).toHaveLength(1);
  const rest = formatTaskResult(task, paint, SAMPLE_NOW, new Set([warning]));
  expect(rest).toContain('isolation  full→worktree\n');
  expect(rest).toContain('Warnings:\n  another\n');
  expect(rest).not.toContain('bubblewrap');
});

it('shows which expectations were not met, with the end of the output', () => {
  const detail = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join('\n');
  const validation = [{ name: 'tests', kind: 'tests', passed: false, detail, durationMs: 1200 } as const];
  const lines = result(succeededTask({ status: 'failed', validation })).split('\n');
  expect(lines).toContain('  ✗ tests (1s)');
  expect(lines).toContain('    | (10 lines before)');
  expect(lines).not.toContain('    | line 10');
  expect(lines).toContain('    | line 30');
});

it('shows the details of a task on one page', () => {
  expect(page(failedTask({ agent: 'codex', priority: 5 }))).toMatchInlineSnapshot(`
    "id          task_0123456789abcdef
    status      failed
    workflow    feature, all stages with codex
    isolation   full→worktree (bubblewrap is not installed)
    repository  /code/api
    base        1111111111111111111111111111111111111111
    branch      carrel/add-a-dark-mode at 111111111111, nothing committed
    workspace   /cache/carrel/worktrees/api/add-a-dark-mode
    usage       16k tokens, $0.12
    priority    5
    created     10m ago
    ended       4m ago

    Description:
      add a dark mode

    Stages:
      ✓ planning        planner    succeeded  42s                 no change  3.1k tokens, $0.02
          Here is the plan.
      ✗ implementation  developer  failed     4m 18s  2 attempts             12k tokens, $0.10
          the check "npm test" ended with status 1
      · review          reviewer   pending

    Outputs:
      plan  2.0 KB  /state/tasks/t/outputs/planning/plan.md

    Failure:
      the check "npm test" ended with status 1
        | not ok 1 - dark mode
        |   expected true, got false
      hint: look at its output, then: carrel task retry task_0123456789abcdef

    Warnings:
      the agent left the branch other, which stays

    Runs:
      10m ago  interrupted  2m 00s
      7m ago   failed       2m 01s

    Next:
      carrel task logs task_0123456789abcdef   read its log
      carrel diff add-a-dark-mode              see what changed
      carrel task retry task_0123456789abcdef  resume after the last successful stage"
  `);
  expect(page(succeededTask({ description: 'first\nsecond' }))).toMatchInlineSnapshot(`
    "id          task_0123456789abcdef
    status      succeeded
    workflow    feature
    isolation   full
    repository  /code/api
    base        1111111111111111111111111111111111111111
    branch      carrel/add-a-dark-mode at 222222222222
    usage       16k tokens, $0.12
    created     10m ago
    ended       4m ago

    Description:
      first
      second

    Stages:
      ✓ planning        planner    succeeded  42s       no change  3.1k tokens, $0.02
          Here is the plan.
      ✓ implementation  developer  succeeded  4m 18s               12k tokens, $0.10
          Done: see src/theme.ts.

    Outputs:
      plan  2.0 KB  /state/tasks/t/outputs/planning/plan.md

    Validation:
      ✓ tests (12s)
      ✓ src/theme.ts (0s)

    Next:
      git diff 111111111111...carrel/add-a-dark-mode            see what changed
      carrel land task_0123456789abcdef                         land it on the branch it started from
      carrel task publish task_0123456789abcdef --pull-request  or open a pull request"
  `);
});

it('has a next command for every status', () => {
  expect(formatNextCommands(sampleTask())).toMatchInlineSnapshot(`
    [
      "carrel task logs task_0123456789abcdef --follow  watch it",
      "carrel task cancel task_0123456789abcdef         stop it and keep its work",
    ]
  `);
  expect(formatNextCommands(sampleTask({ status: 'cancelled' }))).toMatchInlineSnapshot(`
    [
      "carrel diff add-a-dark-mode              see what changed",
      "carrel task retry task_0123456789abcdef  resume after the last successful stage",
    ]
  `);
  expect(formatNextCommands(succeededTask({ landed: { into: 'main', commit: '3'.repeat(40) } }))).toEqual([]);
  const published = { remote: 'origin', pullRequest: null };
  expect(formatNextCommands(succeededTask({ published }))).toHaveLength(2);
});

it('lists tasks in a table, with the repository when there are several', () => {
  const long = sampleTask({ description: `${'a very long description '.repeat(9)}\nmore` });
  expect(formatTaskTable([failedTask(), long], SAMPLE_NOW)).toMatchInlineSnapshot(`
    "ID                     STATUS   WORKFLOW  STAGE  CREATED  COST   DESCRIPTION
    task_0123456789abcdef  failed   feature   1/3    10m ago  $0.12  add a dark mode
    task_0123456789abcdef  running  feature   2/3    10m ago  $0.12  a very long description a very long description a very long…"
  `);
  const other = succeededTask({ repository: '/code/web', description: 'evil \u001b[2J' });
  expect(formatTaskTable([failedTask(), other], SAMPLE_NOW)).toMatchInlineSnapshot(`
    "ID                     STATUS     WORKFLOW  STAGE  CREATED  COST   DESCRIPTION      REPOSITORY
    task_0123456789abcdef  failed     feature   1/3    10m ago  $0.12  add a dark mode  /code/api
    task_0123456789abcdef  succeeded  feature   2/2    10m ago  $0.12  evil \\x1b[2J     /code/web"
  `);
});

it('shows lines of the log with time and stage, escaped, and marks the output of agents', () => {
  const format = createLogFormatter(['planning', 'implementation'], paint);
  const line = { at: '2026-03-02T12:03:04.000Z', stage: 'planning', attempt: 1 } as const;
  const shown = [
    format({ ...line, stream: 'carrel', text: 'started (planner)' }),
    format({ ...line, stream: 'stderr', text: '\u001b[31mred\u001b]0;title\u0007' }),
    format({ ...line, stage: null, stream: 'carrel', text: 'validating' }),
  ];
  expect(shown.map(text => text.replace(/^\d\d:\d\d:\d\d /, ''))).toEqual([
    'planning        started (planner)',
    'planning        | red',
    'task            validating',
  ]);
  const coloured = createLogFormatter(['planning'], pc.createColors(true));
  expect(coloured({ ...line, stream: 'carrel', text: '' })).toContain('\u001b[36mplanning\u001b[39m');
});

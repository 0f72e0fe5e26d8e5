import pc from 'picocolors';
import { expect, it } from 'vitest';
import { sampleAttempt, sampleRun } from '../../../../../test/helpers/batch/sample-run.js';
import { compareRuns } from '../../../../batch/report/comparison/compare-runs.js';
import { formatCheck } from '../../commands/eval/eval-check-command.js';
import { formatComparison } from './eval-comparison.js';
import { formatDataset } from './eval-dataset.js';
import { formatTaskAttempts } from './eval-page.js';
import { formatRunResult } from './eval-result.js';
import { formatRunTable } from './eval-table.js';

const paint = pc.createColors(false);
const HOSTILE = '\u001b[2J\u202eowned';

it('shows the result of a batch, its files and the next commands', () => {
  expect(
    formatRunResult(sampleRun(), '/state/runs/run_0123456789abcdef/report.html', paint),
  ).toMatchInlineSnapshot(`
    "  TASK                   OUTCOME  SCORE  TIME    COST   WHY
    ✓ fix-typo-001 #1        passed   1.00   42s     $0.04
    ✓ fix-import-001 #1      passed   1.00   1m 01s  $0.11
    ✗ fix-type-error-001 #1  failed   0.00   1m 30s  $0.20  1 of 3 tests: adds, subtracts

    run_0123456789abcdef finished: claude on golden, isolation worktree
    passed 2 of 3 (66.7%)
    1m 35s, $0.35

    Files:
      results  /state/runs/run_0123456789abcdef
      report   /state/runs/run_0123456789abcdef/report.html

    Next:
      carrel eval show run_0123456789abcdef --task fix-type-error-001  see why it failed
      carrel eval export run_0123456789abcdef --format junit           for CI; also csv, jsonl, predictions, html
      carrel eval compare run_0123456789abcdef RUN                     compare with another run"
  `);
});

it('shows what a stopped batch could not grade, what remains, and signs of cheating', () => {
  const attempts = [
    sampleAttempt({ attempt: 1, findings: [`wrote ${HOSTILE}\nand more`] }),
    sampleAttempt({
      attempt: 2,
      outcome: 'agent-timeout',
      message: 'it was stopped after 10m',
      costUsd: null,
    }),
    sampleAttempt({
      taskId: 'rename-002',
      outcome: 'infrastructure',
      message: `the disk is full ${HOSTILE}`,
    }),
    sampleAttempt({ taskId: 'rename-002', attempt: 2, outcome: 'cancelled', message: null, durationMs: 400 }),
  ];
  const run = sampleRun({ status: 'stopped', attempts, passAtK: { 1: 0.5, 2: 1 } });
  expect(formatRunResult(run, undefined, paint)).toMatchInlineSnapshot(`
    "  TASK             OUTCOME         SCORE  TIME  COST   WHY
    ✓ fix-typo-001 #1  passed          1.00   42s   $0.04
    ✗ fix-typo-001 #2  agent-timeout   0.00   42s          it was stopped after 10m
    ! rename-002 #1    infrastructure  0.00   42s   $0.04  the disk is full \\x1b[2J\\u{202e}owned
    - rename-002 #2    cancelled       0.00   0s    $0.04

    run_0123456789abcdef stopped: claude on golden, isolation worktree
    passed 1 of 2 graded (50.0%), 4 requested (25.0%)
    1 could not be graded
    1 cancelled
    pass@1 50.0%, pass@2 100.0%
    1m 35s, $0.12

    Findings:
      fix-typo-001 #1: wrote \\x1b[2J\\u{202e}owned

    Files:
      results  /state/runs/run_0123456789abcdef

    Next:
      carrel eval resume run_0123456789abcdef                    run the remaining attempts
      carrel eval show run_0123456789abcdef --task fix-typo-001  see why it failed
      carrel eval export run_0123456789abcdef --format junit     for CI; also csv, jsonl, predictions, html
      carrel eval compare run_0123456789abcdef RUN               compare with another run"
  `);
});

it('lists only failed attempts of a large batch, and says where the rest is', () => {
  const attempts = Array.from({ length: 200 }, (_, index) =>
    sampleAttempt({ taskId: `task-${index}`, outcome: index % 100 === 7 ? 'failed' : 'passed' }),
  );
  const lines = formatRunResult(sampleRun({ attempts }), undefined, paint).split('\n').slice(0, 4);
  expect(lines).toMatchInlineSnapshot(`
    [
      "  TASK         OUTCOME  SCORE  TIME  COST   WHY",
      "✗ task-7 #1    failed   0.00   42s   $0.04  1 of 3 tests: adds, subtracts",
      "✗ task-107 #1  failed   0.00   42s   $0.04  1 of 3 tests: adds, subtracts",
      "… 198 more: carrel eval export run_0123456789abcdef --format csv",
    ]
  `);
});

it('shows the attempts of a task', () => {
  const attempts = [
    sampleAttempt({ findings: ['changed tests/a.test.js, which is protected'] }),
    sampleAttempt({ attempt: 2, outcome: 'failed', worktreePath: '/cache/kept/1', message: `no ${HOSTILE}` }),
  ];
  expect(formatTaskAttempts(sampleRun(), attempts, paint)).toMatchInlineSnapshot(`
    "✓ fix-typo-001 #1  passed  1.00  42s  $0.04
    Graders:
      ✓ tests (tests) 1.00
    Message:
      Corrected the greeting.
    Findings:
      changed tests/a.test.js, which is protected
    Used:
      13k tokens, $0.04
      acquire 20 ms, setup 100 ms, agent 40.0 s, collect 30 ms, grade 1.8 s, release 50 ms
    Where:
      isolation worktree, runtime host, node 20.19.0
    Files:
      patch  /state/runs/run_0123456789abcdef/attempts/fix-typo-001/1/patch.diff
      log    /state/runs/run_0123456789abcdef/attempts/fix-typo-001/1/agent.log

    ✗ fix-typo-001 #2  failed  0.00  42s  $0.04  1 of 3 tests: adds, subtracts
    Graders:
      ✗ tests (tests) 0.00
          1 of 3 tests: adds, subtracts
    Message:
      no \\u{202e}owned
    Used:
      13k tokens, $0.04
      acquire 20 ms, setup 100 ms, agent 40.0 s, collect 30 ms, grade 1.8 s, release 50 ms
    Where:
      isolation worktree, runtime host, node 20.19.0
    Files:
      patch  /state/runs/run_0123456789abcdef/attempts/fix-typo-001/2/patch.diff
      log    /state/runs/run_0123456789abcdef/attempts/fix-typo-001/2/agent.log
      files  /cache/kept/1"
  `);
  expect(formatTaskAttempts(sampleRun(), [], paint)).toBe('no attempt of this task has finished yet');
});

it('lists runs', () => {
  const runs = [
    sampleRun({ status: 'running', agent: `echo ${HOSTILE}`, costUsd: null }),
    sampleRun({ id: 'run_0000000000000000', dataset: '/sets/my set.yaml', spentUsd: 0.6 }),
  ];
  expect(formatRunTable(runs, Date.parse('2026-03-02T12:10:00.000Z'))).toMatchInlineSnapshot(`
    "ID                    STATUS    DATASET            AGENT                      ISOLATION  PASSED  COST                 STARTED
    run_0123456789abcdef  running   golden             echo \\x1b[2J\\u{202e}owned  worktree   2/3     -                    10m ago
    run_0000000000000000  finished  /sets/my set.yaml  claude                     worktree   2/3     $0.35 ($0.60 spent)  10m ago"
  `);
});

it('compares runs, with the tasks in which they differ and warnings', () => {
  const other = sampleRun({
    id: 'run_fedcba9876543210',
    agent: 'codex',
    environment: { ...sampleRun().environment, git: `2.50 ${HOSTILE}` },
    attempts: [
      sampleAttempt({ taskId: 'fix-typo-001' }),
      sampleAttempt({ taskId: 'fix-import-001', outcome: 'agent-error' }),
      sampleAttempt({ taskId: 'fix-type-error-001' }),
    ],
  });
  expect(formatComparison(compareRuns([sampleRun(), other]))).toMatchInlineSnapshot(`
    "RUN                   AGENT   ISOLATION  SOLVED  PASS RATE  95%          COST   MEDIAN TIME
    run_0123456789abcdef  claude  worktree   2/3     66.7%      20.8%-93.9%  $0.35  40s
    run_fedcba9876543210  codex   worktree   2/3     66.7%      20.8%-93.9%  $0.12  40s

    run_fedcba9876543210 against run_0123456789abcdef, 3 tasks:
      both 1, only run_0123456789abcdef 1, only run_fedcba9876543210 1, neither 0
      pass rate +0.0% (95%: -100.0% to +100.0%)
      McNemar p = 1.000: not significant

    Different:
      TASK                run_0123456789abcdef  run_fedcba9876543210
      fix-import-001      passed                agent-error
      fix-type-error-001  failed                passed

    Settings that differ:
      SETTING  run_0123456789abcdef  run_fedcba9876543210
      agent    claude                codex
      git      2.39.5                2.50 \\x1b[2J\\u{202e}owned"
  `);
});

it('does not round a small probability to 0', () => {
  const ids = Array.from({ length: 12 }, (_, index) => `task-${index}`);
  const runOf = (outcome: 'passed' | 'failed') =>
    sampleRun({ attempts: ids.map(taskId => sampleAttempt({ taskId, outcome })) });
  const text = formatComparison(compareRuns([runOf('failed'), runOf('passed')]));
  expect(text).toContain('McNemar p <0.001: significant');
});

it('lists the unsound tasks of a dataset, and counts the sound ones', () => {
  const checked = [
    { id: 'a', verdict: 'sound', reason: null },
    { id: 'b', verdict: 'flaky', reason: 'the reference solution passes 2 of 3 times' },
    { id: 'too', verdict: 'too-easy', reason: 'doing nothing passes' },
  ] as const;
  expect(formatCheck(checked, paint)).toMatchInlineSnapshot(`
    "b    flaky     the reference solution passes 2 of 3 times
    too  too-easy  doing nothing passes
    1 of 3 tasks are sound: the reference solution passes, doing nothing fails"
  `);
});

it('lists the tasks of a dataset, and the problems of broken ones', () => {
  const report = {
    name: 'mine',
    format: 'carrel',
    tasks: [
      { id: 'a', description: `Fix ${HOSTILE}\nplease`, language: 'python', difficulty: 'easy', tags: [] },
      { id: 'bcd', description: 'word '.repeat(40), language: null, difficulty: null, tags: ['x'] },
    ],
    broken: [{ id: 'e', reason: 'graders: expected one or more' }],
  } as const;
  expect(
    formatDataset({
      ...report,
      tasks: report.tasks.map(task => ({ ...task, tags: [...task.tags] })),
      broken: [...report.broken],
    }),
  ).toMatchInlineSnapshot(`
    "TASK  LANGUAGE  DIFFICULTY  DESCRIPTION
    a     python    easy        Fix \\x1b[2J\\u{202e}owned
    bcd                         word word word word word word word word word word word word word word…

    mine (carrel): 2 tasks

    Not usable:
      e: graders: expected one or more"
  `);
});

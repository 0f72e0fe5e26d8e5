import pc from 'picocolors';
import { expect, it } from 'vitest';
import { sampleRun } from '../../../../test/helpers/batch/sample-run.js';
import type { BatchProgress, SlotState } from '../../../batch/batch-observer.js';
import { displayWidth } from '../terminal/display-width.js';
import { type BatchFrame, renderBatch } from './render-batch.js';

const NOW = Date.parse('2026-03-02T12:10:00.000Z');

const slots: readonly SlotState[] = [
  {
    index: 0,
    taskId: 'fix-typo-001',
    attempt: 1,
    phase: 'agent',
    since: NOW - 42_000,
    activity: 'Edit src/a.ts',
  },
  { index: 1, taskId: 'fix-type-error-001', attempt: 2, phase: 'grade', since: NOW - 3000 },
  { index: 2, taskId: 'rename-002', attempt: 1, phase: 'acquire', since: NOW },
];

const progressOf = (progress: Partial<BatchProgress> = {}): BatchProgress => ({
  total: 40,
  done: 12,
  doneBefore: 0,
  totals: { passed: 9, failed: 2, errors: 1, cancelled: 0 },
  costUsd: 1.2,
  slots,
  startedAt: NOW - 600_000,
  draining: null,
  ...progress,
});

const render = (progress: Partial<BatchProgress> = {}, frame: Partial<BatchFrame> = {}) =>
  renderBatch(progressOf(progress), sampleRun({ attemptsPerTask: 2 }), {
    ...{ width: 100, height: 24, now: NOW, paint: pc.createColors(false) },
    ...frame,
  });

it('shows the progress of a batch, the time left, and what each slot does', () => {
  expect(render()).toMatchInlineSnapshot(`
    [
      "[=======                 ] 12/40  82% passed  1 not graded  $1.20  10m 00s, about 23m 20s left",
      "  ▸ fix-typo-001 #1        agent      42s  Edit src/a.ts",
      "  ▸ fix-type-error-001 #2  grading    3s",
      "  ▸ rename-002 #1          workspace  0s",
    ]
  `);
});

it('shows what is known before the first attempt finishes', () => {
  const nothing = { passed: 0, failed: 0, errors: 0, cancelled: 0 };
  expect(render({ done: 0, totals: nothing, costUsd: null, slots: [] })).toMatchInlineSnapshot(`
    [
      "[                        ] 0/40  10m 00s",
    ]
  `);
});

it('estimates the time left of a resumed batch from its own attempts', () => {
  const [line] = render({ done: 30, doneBefore: 20, startedAt: NOW - 60_000 });
  expect(line).toContain('1m 00s, about 1m 00s left');
});

it('shows why nothing new starts, and no time left', () => {
  expect(render({ draining: 'its cost limit of 5 US dollars is reached' })).toMatchInlineSnapshot(`
    [
      "[=======                 ] 12/40  82% passed  1 not graded  $1.20  10m 00s",
      "  starting nothing new: its cost limit of 5 US dollars is reached",
      "  ▸ fix-typo-001 #1        agent      42s  Edit src/a.ts",
      "  ▸ fix-type-error-001 #2  grading    3s",
      "  ▸ rename-002 #1          workspace  0s",
    ]
  `);
});

it('omits slots that do not fit on the terminal, and shows how many', () => {
  const many = Array.from(
    { length: 30 },
    (_, index) => ({ ...slots[0], index, taskId: `task-${index}` }) as SlotState,
  );
  expect(render({ slots: many, draining: 'enough' }, { height: 6 })).toMatchInlineSnapshot(`
    [
      "[=======                 ] 12/40  82% passed  1 not graded  $1.20  10m 00s",
      "  starting nothing new: enough",
      "  ▸ task-0 #1  agent  42s  Edit src/a.ts",
      "  ▸ task-1 #1  agent  42s  Edit src/a.ts",
      "  ▸ task-2 #1  agent  42s  Edit src/a.ts",
      "  · 27 more running",
    ]
  `);
  expect(render({ slots: many }, { height: 31 })).toHaveLength(31);
  expect(render({ slots: many }, { height: 1 })).toHaveLength(2);
});

it('omits the bar on a narrow terminal, and is never wider than the terminal', () => {
  expect(render({}, { width: 48 })).toMatchInlineSnapshot(`
    [
      "12/40  82% passed  1 not graded  $1.20  10m 00s…",
      "  ▸ fix-typo-001 #1        agent      42s  Edit…",
      "  ▸ fix-type-error-001 #2  grading    3s",
      "  ▸ rename-002 #1          workspace  0s",
    ]
  `);
  for (const width of [120, 64, 63, 20, 7, 1]) {
    const wide = render({ draining: '日本語 '.repeat(30) }, { width });
    expect(wide.map(displayWidth).filter(columns => columns > width)).toEqual([]);
  }
});

it('removes control sequences from the output of agents', () => {
  const hostile = '\u001b[2J\u001b]0;owned\u0007\u202egpj.exe\rrm -rf ~\tdone\u009b31m';
  const [, line] = render({ slots: [{ ...slots[0], activity: hostile } as SlotState] });
  expect(line).toMatchInlineSnapshot(`"  ▸ fix-typo-001 #1  agent  42s  rm -rf ~  done"`);
});

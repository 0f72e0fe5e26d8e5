import pc from 'picocolors';
import { expect, it } from 'vitest';
import {
  failedTask,
  plannedStage,
  runningStage,
  SAMPLE_NOW,
  sampleStage,
  sampleTask,
  succeededTask,
} from '../../../../test/helpers/task/sample-task.js';
import type { Task } from '../../../domain/task/task.js';
import { displayWidth } from '../terminal/display-width.js';
import { type Frame, renderTask } from './render-task.js';

const render = (task: Task, frame: Partial<Frame> = {}) =>
  renderTask(task, {
    activities: new Map([['implementation', '\u001b[2JEdit\tsrc/theme.ts']]),
    width: 100,
    height: 24,
    now: SAMPLE_NOW,
    paint: pc.createColors(false),
    ...frame,
  });

it('shows every stage, and the activity below the running one', () => {
  expect(render(sampleTask())).toMatchInlineSnapshot(`
    [
      "▸ add a dark mode                                       feature · full · 10m 00s · 16k tokens, $0.12",
      "  ✓ planning        planner    42s                3.1k tokens, $0.02",
      "  ▸ implementation  developer  9m 18s  attempt 2  12k tokens, $0.10",
      "      Edit  src/theme.ts",
      "  · review          reviewer",
    ]
  `);
});

it('shows what happens before, between and after the stages', () => {
  const queued = sampleTask({ status: 'waiting', runs: [], stages: [sampleStage({ name: 'change' })] });
  expect(render(queued)).toMatchInlineSnapshot(`
    [
      "· add a dark mode                                            feature · full · 0s · 16k tokens, $0.12",
      "  · change  developer",
      "  waiting for its turn",
    ]
  `);
  expect(render({ ...queued, status: 'running', workspaceId: null }).at(-1)).toBe('  creating the workspace');
  expect(render(succeededTask({ status: 'validating', validation: [] })).at(-1)).toBe('  ▸ validating');
  expect(render(succeededTask()).at(-1)).toBe('  ✓ validation  2 of 2 expectations met');
  const one = succeededTask({ validation: succeededTask().validation.slice(0, 1) });
  expect(render(one).at(-1)).toBe('  ✓ validation  1 of 1 expectation met');
});

it('shows why a stage failed', () => {
  expect(render(failedTask())).toMatchInlineSnapshot(`
    [
      "✗ add a dark mode                               feature · full→worktree · 4m 01s · 16k tokens, $0.12",
      "  ✓ planning        planner    42s                3.1k tokens, $0.02",
      "  ✗ implementation  developer  4m 18s  attempt 2  12k tokens, $0.10",
      "      the check "npm test" ended with status 1",
      "  · review          reviewer",
    ]
  `);
});

it('is never wider than the terminal, and keeps the time when there is little room', () => {
  for (const width of [120, 80, 40, 20, 7, 1]) {
    const lines = render(sampleTask({ description: '日本語 '.repeat(30) }), { width });
    expect(lines.map(displayWidth).filter(columns => columns > width)).toEqual([]);
  }
  expect(render(sampleTask(), { width: 30 })).toMatchInlineSnapshot(`
    [
      "▸ add a dark mode      10m 00s",
      "  ✓ planning        planner  …",
      "  ▸ implementation  developer…",
      "      Edit  src/theme.ts",
      "  · review          reviewer",
    ]
  `);
});

it('omits finished and pending stages when they do not fit on the terminal', () => {
  const many = (count: number, stage: typeof plannedStage) =>
    Array.from({ length: count }, (_, index) => ({ ...stage, name: `${stage.name}-${index}` }));
  const stages = [...many(9, plannedStage), runningStage, ...many(9, sampleStage({ name: 'later' }))];
  expect(render(sampleTask({ stages }), { height: 16 })).toHaveLength(13);
  expect(render(sampleTask({ stages }), { height: 8 })).toMatchInlineSnapshot(`
    [
      "▸ add a dark mode                                       feature · full · 10m 00s · 16k tokens, $0.12",
      "  ✓ 9 stages before",
      "  ▸ implementation  developer  9m 18s  attempt 2  12k tokens, $0.10",
      "      Edit  src/theme.ts",
      "  · 9 more to come",
    ]
  `);
});

it('colours marks and dims less important text', () => {
  const [headline, stage] = render(sampleTask(), { paint: pc.createColors(true) });
  expect(headline).toContain('\u001b[36m▸\u001b[39m \u001b[1madd a dark mode\u001b[22m');
  expect(stage).toContain('\u001b[32m✓\u001b[39m planning');
});

import pc from 'picocolors';
import { expect, it } from 'vitest';
import type { StoryReport, StoryResult } from '../../../../domain/story/story-report.js';
import { formatStories } from './story-table.js';

const passed: StoryResult = {
  name: 'greeting',
  file: '/stories/greeting.yaml',
  workflowId: 'task_1',
  status: 'completed',
  passed: true,
  expectations: [{ type: 'compiles', passed: true, detail: 'npm run build' }],
  worktreePath: '/worktrees/greeting',
  worktreeKept: false,
  branch: 'carrel/greeting',
  durationMs: 61_000,
  failure: null,
  warnings: [],
};

const output = ['npm test: it ended with exit status 1', ...'123456789'.split('').map(n => `line ${n}`)];

const failed: StoryResult = {
  ...passed,
  name: 'late \u001b[2J',
  passed: false,
  worktreeKept: true,
  expectations: [...passed.expectations, { type: 'tests_pass', passed: false, detail: output.join('\n') }],
  failure: 'expectations not met: tests_pass',
};

const unsent: StoryResult = {
  ...failed,
  name: 'unsent',
  workflowId: null,
  expectations: [],
  worktreePath: null,
};

it('has a line for each story, with the reasons and the files below a failed one', () => {
  const stories = [passed, failed, { ...unsent, failure: 'it was not started' }];
  expect(formatStories({ stories } as StoryReport, pc.createColors(false))).toMatchInlineSnapshot(`
    "   STORY         EXPECTED  TIME    WORKFLOW
    ✓  greeting      1 of 1    1m 01s  task_1
    ✗  late \\x1b[2J  1 of 2    1m 01s  task_1
         expectations not met: tests_pass
         tests_pass: npm test: it ended with exit status 1
             line 2
             line 3
             line 4
             line 5
             line 6
             line 7
             line 8
             line 9
         files: /worktrees/greeting
    ✗  unsent        -         1m 01s  -
         it was not started"
  `);
});

import { expect, test } from 'vitest';
import { commitMessage } from './commit-message.js';

const task = { id: 'task_0123456789abcdef', description: '\nAdd a dark mode\n\nwith a switch' };

test("the message has the stage, the task, the agent's message and trailers", () => {
  const message = commitMessage({
    task,
    stage: 'implement',
    agent: 'developer',
    words: 'Done.\r\n\r\nAll green.\n',
  });
  expect(message).toMatchInlineSnapshot(`
    "implement: Add a dark mode

    Done.

    All green.

    Carrel-Task: task_0123456789abcdef
    Carrel-Stage: implement
    Carrel-Agent: developer"
  `);
});

test('agent output can neither control a terminal nor flood the history', () => {
  const words = `\u001b[31mred\u001b[0m\u001b]0;title\u0007\u0000\u0008 ${'x'.repeat(5000)}`;
  const description = `${'long '.repeat(40)}\u001b[2J`;
  const message = commitMessage({ task: { ...task, description }, stage: 'a\nb', agent: 'c', words });
  const [subject = '', body = '', trailers = ''] = message.split('\n\n');
  expect(subject).toMatch(/^a b: long long/);
  expect(Array.from(subject).length).toBeLessThanOrEqual(72);
  expect(body).toMatch(/^red x+…$/);
  expect(body.length).toBeLessThanOrEqual(2000);
  expect(trailers).toContain('Carrel-Stage: a b');
});

test('without an agent message there is no empty section', () => {
  expect(commitMessage({ task: { ...task, description: '' }, stage: 's', agent: 'a', words: ' \n' })).toBe(
    's: task_0123456789abcdef\n\nCarrel-Task: task_0123456789abcdef\nCarrel-Stage: s\nCarrel-Agent: a',
  );
});

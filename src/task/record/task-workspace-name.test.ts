import { expect, test } from 'vitest';
import { requireName } from '../../domain/name.js';
import { stageWorkspaceName, taskWorkspaceName } from './task-workspace-name.js';

const ID = 'task_0123456789abcdef';

test('a task is named after the first words of its description and the end of its id', () => {
  expect(taskWorkspaceName({ id: ID, description: 'Add a dark mode to the settings page, please' })).toBe(
    'add-a-dark-mode-to-the-settings-bcdef',
  );
});

test('stages of a task with similar names get different workspace names', () => {
  const stages = [
    'api-tests',
    'API tests',
    'api_tests',
    '前端',
    '後端',
    'stage',
    `${'long '.repeat(9)}a`,
    `${'long '.repeat(9)}b`,
  ];
  const names = stages.map(stage => stageWorkspaceName('x-4n0fh', stage));
  expect(new Set(names).size).toBe(stages.length);
  expect(names[0]).toBe('x-4n0fh-api-tests');
});

test.each(['ünïcödé für alle', '日本語だけ', '../../etc/passwd', '-rf .lock', 'x'.repeat(500), '\u0007'])(
  'the name for %j is a valid workspace name',
  description => {
    const name = taskWorkspaceName({ id: ID, description });
    expect(requireName(name)).toBe(name);
    expect(requireName(stageWorkspaceName(name, description))).toMatch(/^[a-z0-9-]+$/);
  },
);

import { expect, test } from 'vitest';
import { requireName } from '../domain/name.js';
import { stageWorkspaceName, taskWorkspaceName } from './task-workspace-name.js';

const ID = 'task_0123456789abcdef';

test('a task is called by the first words of its description and the end of its id', () => {
  expect(taskWorkspaceName('Add a dark mode to the settings page, please', ID)).toBe(
    'add-a-dark-mode-to-the-settings-bcdef',
  );
});

test('no two stages of a task share a name, however alike theirs are', () => {
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
  'the name of %j is one that workspaces may have',
  description => {
    const name = taskWorkspaceName(description, ID);
    expect(requireName(name)).toBe(name);
    expect(requireName(stageWorkspaceName(name, description))).toMatch(/^[a-z0-9-]+$/);
  },
);

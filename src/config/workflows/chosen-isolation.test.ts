import { expect, test } from 'vitest';
import { writeConfigFiles } from '../../../test/helpers/task/config-files.js';
import type { IsolationMode } from '../../domain/isolation.js';
import { loadConfig } from '../load-config.js';
import { chooseTaskIsolation } from './chosen-isolation.js';

interface Words {
  readonly user?: string;
  readonly repository?: string;
  /** The workflow's own. */
  readonly workflow?: IsolationMode | undefined;
  readonly flag?: IsolationMode;
  readonly isBuiltIn?: boolean;
}

async function choose(words: Words) {
  const { mode, warning } = await chooseWithAsker(words);
  return warning === undefined ? { mode } : { mode, warning };
}

async function chooseWithAsker({ workflow, flag, isBuiltIn = false, ...texts }: Words) {
  const loaded = await loadConfig(writeConfigFiles(texts));
  const definition = { name: 'feature', description: '', isolation: workflow, stages: [] };
  const source = isBuiltIn ? 'built-in' : '/r/.carrel/workflows/feature.yaml';
  return chooseTaskIsolation({ workflow: { name: 'feature', source, definition }, loaded, flag });
}

const isolation = (word: IsolationMode, override?: IsolationMode) =>
  `isolation: {default: ${word}${override ? `, overrides: {feature: ${override}}` : ''}}\n`;

test('the default is worktree, and shared needs the user’s choice', async () => {
  expect(await choose({})).toEqual({ mode: 'worktree' });
  expect(await choose({ isBuiltIn: true })).toEqual({ mode: 'worktree' });
  expect(await choose({ repository: 'isolation: {onUnavailable: fail}\n' })).toEqual({ mode: 'worktree' });
  expect(await choose({ user: isolation('shared') })).toEqual({ mode: 'shared' });
  expect(await choose({ user: isolation('shared'), workflow: 'shared' })).toEqual({ mode: 'shared' });
  expect(await choose({ workflow: 'full', flag: 'shared' })).toEqual({ mode: 'shared' });
});

test('a repository alone does not run a task in the user’s checkout, and warns', async () => {
  const refused = {
    mode: 'worktree',
    warning: expect.stringContaining('only you can allow'),
  };
  expect(await choose({ workflow: 'shared' })).toEqual(refused);
  expect(await choose({ repository: isolation('shared') })).toEqual(refused);
  expect(await choose({ repository: isolation('worktree', 'shared'), isBuiltIn: true })).toEqual(refused);
});

test('the flag, the workflow’s file, the override for the workflow, and the default, in this order', async () => {
  const repository = isolation('shared', 'worktree');
  expect(await choose({ repository, workflow: 'full', flag: 'worktree' })).toEqual({ mode: 'worktree' });
  expect(await choose({ repository, workflow: 'full' })).toEqual({ mode: 'full' });
  expect(await choose({ repository })).toEqual({ mode: 'worktree' });
  expect(await choose({ repository: isolation('full') })).toEqual({ mode: 'full' });
});

test('a repository’s workflow does not weaken what the user chose, and warns', async () => {
  expect(await choose({ user: isolation('full'), workflow: 'worktree' })).toEqual({
    mode: 'full',
    warning:
      '/r/.carrel/workflows/feature.yaml requests isolation worktree, which is weaker than full in your own configuration; full is used',
  });
  // The user's override for this workflow wins over the user's default; the repository's value counts for neither.
  expect(await choose({ user: isolation('full', 'worktree'), workflow: 'shared' })).toMatchObject({
    mode: 'worktree',
    warning: expect.any(String),
  });
  expect(
    await choose({ user: isolation('worktree'), repository: isolation('full', 'full'), workflow: 'shared' }),
  ).toMatchObject({ mode: 'worktree', warning: expect.any(String) });
  expect(await choose({ user: isolation('worktree'), workflow: 'full' })).toEqual({ mode: 'full' });
});

test('a built-in workflow raises the default and yields to an override', async () => {
  const isBuiltIn = true;
  expect(await choose({ isBuiltIn, workflow: 'full', user: isolation('shared') })).toEqual({ mode: 'full' });
  expect(await choose({ isBuiltIn, workflow: 'worktree', user: isolation('full') })).toEqual({
    mode: 'full',
  });
  const user = isolation('full', 'shared');
  expect(await choose({ isBuiltIn, workflow: 'full', user })).toEqual({ mode: 'shared' });
});

test('reports who chose the mode: the user’s own file wins over another file with the same mode', async () => {
  const asker = async (words: Words) => (await chooseWithAsker(words)).askedBy;
  expect(await asker({ flag: 'full', user: isolation('full') })).toBe('flag');
  expect(await asker({ user: isolation('full'), workflow: 'worktree' })).toBe('user');
  expect(await asker({ user: isolation('worktree', 'full'), isBuiltIn: true, workflow: 'full' })).toBe(
    'user',
  );
  expect(await asker({ isBuiltIn: true, workflow: 'full' })).toBe('default');
  expect(await asker({ workflow: 'full', user: isolation('worktree') })).toBe('repository');
  expect(await asker({ repository: isolation('full') })).toBe('repository');
});

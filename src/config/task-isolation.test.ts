import { expect, test } from 'vitest';
import { writeConfigFiles } from '../../test/helpers/config-files.js';
import type { IsolationMode } from '../domain/isolation.js';
import { loadConfig } from './load.js';
import { chooseTaskIsolation } from './task-isolation.js';

interface Words {
  readonly user?: string;
  readonly repository?: string;
  /** The workflow's own. */
  readonly workflow?: IsolationMode | undefined;
  readonly flag?: IsolationMode;
  readonly isBuiltIn?: boolean;
}

async function choose({ workflow, flag, isBuiltIn = false, ...texts }: Words) {
  const loaded = await loadConfig(writeConfigFiles(texts));
  const definition = { name: 'feature', description: '', isolation: workflow, stages: [] };
  const source = isBuiltIn ? 'built-in' : '/r/.carrel/workflows/feature.yaml';
  return chooseTaskIsolation({ workflow: { name: 'feature', source, definition }, loaded, flag });
}

const isolation = (word: IsolationMode, override?: IsolationMode) =>
  `isolation: {default: ${word}${override ? `, overrides: {feature: ${override}}` : ''}}\n`;

test('where nobody chooses it is worktree, and shared needs the user’s word', async () => {
  expect(await choose({})).toEqual({ mode: 'worktree' });
  expect(await choose({ isBuiltIn: true })).toEqual({ mode: 'worktree' });
  expect(await choose({ repository: 'isolation: {onUnavailable: fail}\n' })).toEqual({ mode: 'worktree' });
  expect(await choose({ user: isolation('shared') })).toEqual({ mode: 'shared' });
  expect(await choose({ user: isolation('shared'), workflow: 'shared' })).toEqual({ mode: 'shared' });
  expect(await choose({ workflow: 'full', flag: 'shared' })).toEqual({ mode: 'shared' });
});

test('a repository alone does not put a task into the user’s own checkout, and that is told', async () => {
  const refused = {
    mode: 'worktree',
    warning: expect.stringContaining('only you can allow'),
  };
  expect(await choose({ workflow: 'shared' })).toEqual(refused);
  expect(await choose({ repository: isolation('shared') })).toEqual(refused);
  expect(await choose({ repository: isolation('worktree', 'shared'), isBuiltIn: true })).toEqual(refused);
});

test('the flag, the workflow’s file, the word for the workflow, and the default, in this order', async () => {
  const repository = isolation('shared', 'worktree');
  expect(await choose({ repository, workflow: 'full', flag: 'worktree' })).toEqual({ mode: 'worktree' });
  expect(await choose({ repository, workflow: 'full' })).toEqual({ mode: 'full' });
  expect(await choose({ repository })).toEqual({ mode: 'worktree' });
  expect(await choose({ repository: isolation('full') })).toEqual({ mode: 'full' });
});

test('a repository’s workflow does not weaken what the user chose, and that is told', async () => {
  expect(await choose({ user: isolation('full'), workflow: 'worktree' })).toEqual({
    mode: 'full',
    warning:
      '/r/.carrel/workflows/feature.yaml asks for isolation worktree, which is weaker than the full of your own configuration; full is used',
  });
  // The user's word for this workflow counts before the user's default, and the repository's for neither.
  expect(await choose({ user: isolation('full', 'worktree'), workflow: 'shared' })).toMatchObject({
    mode: 'worktree',
    warning: expect.any(String),
  });
  expect(
    await choose({ user: isolation('worktree'), repository: isolation('full', 'full'), workflow: 'shared' }),
  ).toMatchObject({ mode: 'worktree', warning: expect.any(String) });
  expect(await choose({ user: isolation('worktree'), workflow: 'full' })).toEqual({ mode: 'full' });
});

test('a workflow that Carrel brings raises the default and gives way to the word for it', async () => {
  const isBuiltIn = true;
  expect(await choose({ isBuiltIn, workflow: 'full', user: isolation('shared') })).toEqual({ mode: 'full' });
  expect(await choose({ isBuiltIn, workflow: 'worktree', user: isolation('full') })).toEqual({
    mode: 'full',
  });
  const user = isolation('full', 'shared');
  expect(await choose({ isBuiltIn, workflow: 'full', user })).toEqual({ mode: 'shared' });
});

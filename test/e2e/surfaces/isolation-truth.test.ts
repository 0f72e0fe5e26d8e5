import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.js';
import {
  createWorkspaceConfigFromMode,
  type IsolationMode,
  mapIsolationModeToStrategy,
  resolveIsolationMode,
  type WorkspaceStrategy,
} from '../../../src/index.js';
import { createCarrel } from '../../helpers/carrel.js';
import { oneInSix } from '../../helpers/flavours.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

// One truth: the same configuration gives the same mode in `config show`, `up`, `run` and the exported functions.

const WORKFLOW = (isolation: IsolationMode | undefined) =>
  `name: own\ndescription: d\n${isolation ? `isolation: ${isolation}\n` : ''}stages:\n  - name: work\n    agent: touch\n`;

interface Row {
  readonly user?: string;
  readonly repository?: string;
  readonly workflow?: IsolationMode;
  readonly args?: readonly string[];
  /** Of `config show`. */
  readonly shown: IsolationMode;
  readonly up: IsolationMode;
  readonly run: IsolationMode;
  readonly strategy?: WorkspaceStrategy;
}

const isolation = (mode: IsolationMode, override?: IsolationMode) =>
  `isolation:\n  default: ${mode}\n${override ? `  overrides: {own: ${override}}\n` : ''}`;
const strategy = (word: WorkspaceStrategy) => `workspace:\n  defaultStrategy: ${word}\n`;

const ROWS: Readonly<Record<string, Row>> = {
  nothing: { shown: 'worktree', up: 'worktree', run: 'worktree' },
  'the user’s default': { user: isolation('shared'), shown: 'shared', up: 'shared', run: 'shared' },
  'the repository’s default shared, which only the user may choose': {
    repository: isolation('shared'),
    ...{ shown: 'shared', up: 'worktree', run: 'worktree' },
  },
  'the user’s strategy worktree': {
    user: strategy('worktree'),
    shown: 'worktree',
    up: 'worktree',
    run: 'worktree',
  },
  'the user’s strategy none': { user: strategy('none'), shown: 'shared', up: 'shared', run: 'shared' },
  'the repository’s strategy none': {
    repository: strategy('none'),
    ...{ shown: 'shared', up: 'worktree', run: 'worktree' },
  },
  'the user’s strategy directory': {
    user: strategy('directory'),
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree', strategy: 'directory' },
  },
  'the repository’s strategy directory': {
    repository: strategy('directory'),
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree', strategy: 'directory' },
  },
  'a mode beside a strategy in one file': {
    user: isolation('worktree') + strategy('none'),
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree' },
  },
  'the repository’s strategy below the user’s mode': {
    user: isolation('worktree'),
    repository: strategy('none'),
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree' },
  },
  'the repository’s mode below the user’s strategy': {
    user: strategy('worktree'),
    repository: isolation('shared'),
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree' },
  },
  'an override of the user': {
    user: isolation('worktree', 'shared'),
    ...{ shown: 'worktree', up: 'worktree', run: 'shared' },
  },
  'an override of the repository': {
    repository: isolation('worktree', 'shared'),
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree' },
  },
  'a workflow beside the user’s strategy directory': {
    user: strategy('directory'),
    workflow: 'worktree',
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree', strategy: 'worktree' },
  },
  'a workflow weaker than the user’s mode': {
    user: isolation('worktree'),
    workflow: 'shared',
    ...{ shown: 'worktree', up: 'worktree', run: 'worktree' },
  },
  'a flag over everything': {
    user: isolation('shared', 'shared'),
    workflow: 'shared',
    args: ['--isolation', 'worktree'],
    ...{ shown: 'shared', up: 'worktree', run: 'worktree' },
  },
};

describe.each(oneInSix(Object.entries(ROWS)))('%s', (_, row) => {
  test('means the same everywhere', async () => {
    const home = tempDir();
    const carrel = createCarrel(home);
    const repository = makeRepository({
      'README.md': 'hello\n',
      '.carrel/workflows/own.yaml': WORKFLOW(row.workflow),
      ...(row.repository && { '.carrel/config.yaml': row.repository }),
    });
    const agents = 'agents:\n  touch:\n    command: ["touch", "made.txt"]\n';
    writeFiles(home, { 'config/carrel/config.yaml': `${row.user ?? ''}${agents}` });
    const loaded = await loadConfig({
      repositoryRoot: repository,
      userFile: join(home, 'config/carrel/config.yaml'),
    });
    const { values } = carrel.json<{ values: { key: string; value: unknown }[] }>(
      repository,
      'config',
      'show',
    );
    expect(values.find(({ key }) => key === 'isolation.default')?.value).toBe(row.shown);
    expect(resolveIsolationMode('other', undefined, loaded.config.isolation)).toBe(row.shown);
    const args = row.args ?? [];
    const made = carrel.json<{ isolation: object; backend: string }>(repository, 'up', 'w', ...args);
    expect(made.isolation).toMatchObject({ requested: row.up, effective: row.up });
    const task = carrel.json<{ isolation: object; workspace: object }>(
      ...[repository, 'run', 'x', '--workflow', 'own', '--trust', ...args],
    );
    const chosen = row.strategy ?? mapIsolationModeToStrategy(row.run);
    expect(task.isolation).toMatchObject({ requested: row.run, effective: row.run });
    expect(task.workspace).toEqual({
      ...createWorkspaceConfigFromMode(row.run, { cleanup: true, preserveOnFailure: true }),
      strategy: chosen,
    });
    if (row.user?.includes('directory') && !row.workflow) expect(made.backend).toBe('directory');
  });
});

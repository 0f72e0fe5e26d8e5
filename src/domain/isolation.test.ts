import { expect, test } from 'vitest';
import { chooseIsolation, resolveIsolationMode } from './isolation/choose-isolation.js';
import { degradeIsolation } from './isolation/degrade-isolation.js';
import {
  WorkspaceConfigSchema,
  WorkspaceDefaultsSchema,
  WorkspaceStrategySchema,
} from './isolation/workspace-config.js';
import { createWorkspaceConfigFromMode, mapIsolationModeToStrategy } from './isolation/workspace-strategy.js';
import { IsolationConfigSchema, IsolationModeSchema } from './isolation.js';

test('an empty isolation configuration is worktree and degrades', () => {
  expect(IsolationConfigSchema.parse({})).toEqual({ default: 'worktree', onUnavailable: 'degrade' });
});

test('there are exactly three modes', () => {
  expect(IsolationModeSchema.options).toEqual(['full', 'worktree', 'shared']);
  expect(IsolationModeSchema.safeParse('container').success).toBe(false);
  expect(IsolationConfigSchema.safeParse({ overrides: { feature: 'none' } }).success).toBe(false);
});

test('there are exactly four strategies', () => {
  expect(WorkspaceStrategySchema.options).toEqual(['worktree', 'container', 'directory', 'none']);
});

test('each mode has its strategy, and an unknown mode has none', () => {
  expect(mapIsolationModeToStrategy('full')).toBe('container');
  expect(mapIsolationModeToStrategy('worktree')).toBe('worktree');
  expect(mapIsolationModeToStrategy('shared')).toBe('none');
  expect(mapIsolationModeToStrategy('strong' as never)).toBe('none');
});

test('the workspace of a mode is cleaned up and not preserved by default', () => {
  expect(createWorkspaceConfigFromMode('worktree')).toEqual({
    strategy: 'worktree',
    cleanup: true,
    preserveOnFailure: false,
    container: undefined,
  });
  const config = createWorkspaceConfigFromMode('shared', { cleanup: false, preserveOnFailure: true });
  expect(config).toMatchObject({ strategy: 'none', cleanup: false, preserveOnFailure: true });
});

test('only full isolation gets the container', () => {
  const containerConfig = { image: 'node:20-alpine', resourceLimits: { cpu: 2, memory: '2g' } };
  expect(createWorkspaceConfigFromMode('full', { containerConfig }).container).toEqual(containerConfig);
  expect(createWorkspaceConfigFromMode('worktree', { containerConfig }).container).toBeUndefined();
});

test('the workspace of every mode matches its schema', () => {
  for (const mode of IsolationModeSchema.options) {
    expect(WorkspaceConfigSchema.safeParse(createWorkspaceConfigFromMode(mode)).success).toBe(true);
  }
  expect(WorkspaceConfigSchema.parse({ strategy: 'directory', cleanup: true }).preserveOnFailure).toBe(false);
  expect(WorkspaceDefaultsSchema.parse({})).toMatchObject({
    defaultStrategy: 'worktree',
    cleanupOnComplete: true,
  });
});

test('a workflow takes its own mode, then its override, then the default, then worktree', () => {
  const config = { default: 'worktree', overrides: { feature: 'full' } } as const;
  expect(resolveIsolationMode('feature', 'shared', config)).toBe('shared');
  expect(resolveIsolationMode('feature', undefined, config)).toBe('full');
  expect(resolveIsolationMode('bugfix', undefined, config)).toBe('worktree');
  expect(resolveIsolationMode('bugfix')).toBe('worktree');
});

test('a workflow may have the name of a property of Object.prototype', () => {
  expect(resolveIsolationMode('constructor', undefined, { default: 'worktree', overrides: {} })).toBe(
    'worktree',
  );
  expect(resolveIsolationMode('__proto__', undefined, { default: 'worktree', overrides: {} })).toBe(
    'worktree',
  );
});

test('flag, task, workflow file, override and default apply in this order', () => {
  const config = { default: 'worktree', overrides: { feature: 'full' } } as const;
  const wishes = {
    flag: 'shared',
    task: 'full',
    workflowIsolation: 'worktree',
    workflowName: 'feature',
    config,
  } as const;
  expect(chooseIsolation(wishes)).toBe('shared');
  expect(chooseIsolation({ ...wishes, flag: undefined })).toBe('full');
  expect(chooseIsolation({ ...wishes, flag: undefined, task: undefined })).toBe('worktree');
  expect(chooseIsolation({ workflowName: 'feature', config })).toBe('full');
  expect(chooseIsolation({ workflowName: 'other', config })).toBe('worktree');
  expect(chooseIsolation({ config })).toBe('worktree');
  expect(chooseIsolation({})).toBe('worktree');
});

const everything = { full: true, worktree: true, shared: true } as const;
const noRuntime = { ...everything, full: 'no runtime' } as const;
const onlyShared = { ...noRuntime, worktree: 'not a repository' } as const;
const nothing = { ...onlyShared, shared: 'read-only' } as const;

test('an available mode is used, without a reason', () => {
  expect(degradeIsolation('full', everything, 'degrade')).toEqual({
    requested: 'full',
    effective: 'full',
    reason: null,
  });
  expect(degradeIsolation('shared', onlyShared, 'fail')).toEqual({
    requested: 'shared',
    effective: 'shared',
    reason: null,
  });
});

test('an unavailable mode falls back to the next weaker one, with the reason', () => {
  expect(degradeIsolation('full', noRuntime, 'degrade')).toEqual({
    requested: 'full',
    effective: 'worktree',
    reason: 'no runtime',
  });
  expect(degradeIsolation('full', onlyShared, 'degrade')).toEqual({
    requested: 'full',
    effective: 'shared',
    reason: 'no runtime; worktree: not a repository',
  });
});

test('throws when falling back is not allowed, or no mode is left', () => {
  const unavailable = (reason: string) =>
    expect.objectContaining({ code: 'ISOLATION_UNAVAILABLE', details: { requested: 'full', reason } });
  expect(() => degradeIsolation('full', noRuntime, 'fail')).toThrow(unavailable('no runtime'));
  expect(() => degradeIsolation('full', nothing, 'degrade')).toThrow(
    unavailable('no runtime; worktree: not a repository; shared: read-only'),
  );
});

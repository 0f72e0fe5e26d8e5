import { expect, test } from 'vitest';
import { chooseIsolation, resolveIsolationMode } from './choose-isolation.js';
import { degradeIsolation } from './degrade-isolation.js';
import { IsolationConfigSchema, IsolationModeSchema } from './isolation.js';
import { WorkspaceConfigSchema, WorkspaceDefaultsSchema } from './workspace-config.js';
import { createWorkspaceConfigFromMode, mapIsolationModeToStrategy } from './workspace-strategy.js';

test('an empty isolation configuration is shared and degrades', () => {
  expect(IsolationConfigSchema.parse({})).toEqual({ default: 'shared', onUnavailable: 'degrade' });
});

test('there are three modes and no other', () => {
  expect(IsolationModeSchema.options).toEqual(['full', 'worktree', 'shared']);
  expect(IsolationModeSchema.safeParse('container').success).toBe(false);
  expect(IsolationConfigSchema.safeParse({ overrides: { feature: 'none' } }).success).toBe(false);
});

test('each mode has its strategy, and what is no mode has none', () => {
  expect(mapIsolationModeToStrategy('full')).toBe('container');
  expect(mapIsolationModeToStrategy('worktree')).toBe('worktree');
  expect(mapIsolationModeToStrategy('shared')).toBe('none');
  expect(mapIsolationModeToStrategy('strong' as never)).toBe('none');
});

test('the workspace of a mode is cleaned up and not preserved unless asked', () => {
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

test('the workspace of every mode fits its schema', () => {
  for (const mode of IsolationModeSchema.options) {
    expect(WorkspaceConfigSchema.safeParse(createWorkspaceConfigFromMode(mode)).success).toBe(true);
  }
  expect(WorkspaceConfigSchema.parse({ strategy: 'directory', cleanup: true }).preserveOnFailure).toBe(false);
  expect(WorkspaceDefaultsSchema.parse({})).toMatchObject({
    defaultStrategy: 'none',
    cleanupOnComplete: true,
  });
});

test('a workflow takes its own mode, then its override, then the default, then shared', () => {
  const config = { default: 'worktree', overrides: { feature: 'full' } } as const;
  expect(resolveIsolationMode('feature', 'shared', config)).toBe('shared');
  expect(resolveIsolationMode('feature', undefined, config)).toBe('full');
  expect(resolveIsolationMode('bugfix', undefined, config)).toBe('worktree');
  expect(resolveIsolationMode('bugfix')).toBe('shared');
});

test('a workflow may be called like something that every object has', () => {
  expect(resolveIsolationMode('constructor', undefined, { default: 'worktree', overrides: {} })).toBe(
    'worktree',
  );
  expect(resolveIsolationMode('__proto__', undefined, { default: 'worktree', overrides: {} })).toBe(
    'worktree',
  );
});

test('the order of all who have a say', () => {
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
  expect(chooseIsolation({})).toBe('shared');
});

const everything = { full: true, worktree: true, shared: true } as const;
const noRuntime = { ...everything, full: 'no runtime' } as const;
const onlyShared = { ...noRuntime, worktree: 'not a repository' } as const;
const nothing = { ...onlyShared, shared: 'read-only' } as const;

test('a mode that can be had is used, without a reason', () => {
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

test('a mode that can not be had gives way to the next weaker one, with the reason', () => {
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

test('nothing gives way when that is not allowed, or when nothing is left', () => {
  const unavailable = (reason: string) =>
    expect.objectContaining({ code: 'ISOLATION_UNAVAILABLE', details: { requested: 'full', reason } });
  expect(() => degradeIsolation('full', noRuntime, 'fail')).toThrow(unavailable('no runtime'));
  expect(() => degradeIsolation('full', nothing, 'degrade')).toThrow(
    unavailable('no runtime; worktree: not a repository; shared: read-only'),
  );
});

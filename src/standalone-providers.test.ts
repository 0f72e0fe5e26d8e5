import { describe, expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../test/helpers/carrel.js';
import { flavours } from '../test/helpers/flavours.js';
import { git, makeRepository } from '../test/helpers/repository.js';
import { openApp } from './app.js';
import { listLeftovers } from './batch/provider-contract.js';
import {
  createIsolationProvider,
  DockerProvider,
  NoneProvider,
  type ProviderOptions,
  SandboxProvider,
  WorktreeProvider,
} from './standalone-providers.js';

function open(isolation: 'worktree' | 'none', options: ProviderOptions = {}) {
  const { env, home } = createCarrel();
  const provider = createIsolationProvider(isolation, { environment: env, ...options });
  onTestFinished(() => provider.destroyAll());
  return { provider, env, home };
}

describe.each(flavours<'worktree' | 'none'>('worktree', 'none'))('with isolation %s', isolation => {
  test('a repository by path or URL, at a commit, is enough', async () => {
    const repository = makeRepository({ 'a.txt': 'old\n' });
    const commit = git(repository, 'rev-parse', 'HEAD');
    git(repository, 'tag', 'before');
    git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'later');
    const { provider, env, home } = open(isolation, { maxSlots: 2 });
    const tasks = [
      { id: 'head', repository },
      { id: 'tag', repository: `file://${repository}`, commit: 'before' },
      { id: 'commit', repository, commit },
      { id: 'missing', repository: './nowhere' },
    ];
    expect(await provider.init(tasks)).toMatchObject([{ taskId: 'missing' }]);
    for (const task of tasks.slice(0, 3)) {
      const environment = await provider.acquire(task);
      await environment.run({ command: ['sh', '-c', 'echo new > a.txt; echo made > b.txt'] });
      const { patch } = await environment.collectPatch();
      expect(patch.toString()).toMatch(/-old\n\+new\n[\s\S]*\+made\n/);
      await provider.release(environment);
    }
    await expect(provider.acquire(tasks[3] as never)).rejects.toMatchObject({ code: 'BASE_UNAVAILABLE' });
    await provider.destroyAll();
    expect(git(repository, 'status', '--porcelain')).toBe('');
    const app = await openApp({ environment: env, cwd: home });
    onTestFinished(() => app.close());
    expect(await listLeftovers(app)).toEqual([]);
  }, 60_000);
});

test('nothing is opened before init, and destroyAll alone is fine', async () => {
  const { provider } = open('worktree');
  await expect(provider.acquire({ id: 'x', repository: '.' })).rejects.toMatchObject({
    code: 'PROVIDER_NOT_READY',
    message: 'acquire() was called before init() had finished; expected init() first',
  });
  await provider.destroyAll();
});

test.each([
  ['worktree', WorktreeProvider],
  ['docker', DockerProvider],
  ['none', NoneProvider],
  ['full', SandboxProvider],
] as const)('the provider for %s is an instance of its class', (isolation, Provider) => {
  expect(createIsolationProvider(isolation, { maxSlots: 3 }).getStats()).toMatchObject({ parallelism: 3 });
  expect(createIsolationProvider({ isolation, parallelism: 3 })).toBeInstanceOf(Provider);
  expect(new Provider({ parallelism: 4 }).getStats()).toMatchObject({ parallelism: 4, total: 0 });
});

test('without a mode, parallel environments are worktrees and a single one is a copy', () => {
  expect(createIsolationProvider()).toBeInstanceOf(NoneProvider);
  expect(createIsolationProvider({ parallelism: 2 })).toBeInstanceOf(WorktreeProvider);
});

test.each([
  [
    ['wortkree'],
    'isolation of createIsolationProvider() is "wortkree"; expected one of worktree, docker, full, none; did you mean "worktree"?',
  ],
  [
    [{ isolation: 'shared' }],
    'isolation of createIsolationProvider() is "shared"; expected one of worktree, docker, full, none',
  ],
  [
    [7],
    'the argument of createIsolationProvider() is 7; expected one of worktree, docker, full, none, or an object with isolation and parallelism',
  ],
  [['worktree', null], 'the argument of createIsolationProvider() is null; expected'],
  [['worktree', { maxSlots: 0 }], 'maxSlots is 0; expected a whole number above 0'],
  [[{ parallelism: '3' }], 'parallelism is "3"; expected a whole number above 0'],
  [
    ['worktree', { maxSlot: 3 }],
    'createIsolationProvider: unknown field "maxSlot"; did you mean "maxSlots"?',
  ],
  [['worktree', { maxSlots: 3, parallelism: 2 }], "parallelism, maxSlots can't be combined"],
])('createIsolationProvider(...%j) is refused', (given, message) => {
  const call = createIsolationProvider as (...args: unknown[]) => unknown;
  expect(() => call(...given)).toThrow(message);
});

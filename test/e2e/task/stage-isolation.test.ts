import { expect, type TestContext, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// Stages with their own isolation. Each agent looks for a file of the user that a sandbox hides.

const LOOK = `cat > /dev/null
if test -e "$(dirname "$TALLY")/config/carrel/config.yaml"; then seen=seen; else seen=hidden; fi
echo "$seen" >> "$CARREL_STAGE.txt"`;

const makeSite = (
  stages: readonly Readonly<Record<string, unknown>>[],
  environment: Readonly<Record<string, string>> = {},
): ScriptedTasks =>
  makeScriptedTasks({
    agents: { looker: LOOK, noting: `${LOOK}; echo "$CARREL_STAGE" >> "$TALLY"` },
    stages: stages.map(stage => ({ agent: 'looker', ...stage })),
    workflow: { isolation: 'worktree' },
    environment,
  });

const readWork = ({ repository }: ScriptedTasks, { branch }: Task, stage: string): string =>
  git(repository, 'show', `${branch}:${stage}.txt`);

test('a stage with isolation full runs in a sandbox, and its work joins that of the others', (context: TestContext) => {
  requireBubblewrap(context);
  const site = makeSite([{ name: 'before' }, { name: 'inside', isolation: 'full' }, { name: 'after' }]);
  const done = site.run();
  expect(done).toMatchObject({ status: 'succeeded', isolation: { effective: 'worktree' } });
  expect(['before', 'inside', 'after'].map(stage => readWork(site, done, stage))).toEqual([
    'seen',
    'hidden',
    'seen',
  ]);
  expect(done.stages.map(({ workspaceName }) => workspaceName !== null)).toEqual([false, true, false]);
  // Its own workspace is gone once its work is joined.
  expect(site.carrel.json(site.repository, 'ls')).toEqual([]);
});

thoroughTest('a rejected stage runs again in a sandbox', (context: TestContext) => {
  requireBubblewrap(context);
  const site = makeSite([{ name: 'inside', isolation: 'full', approve: true }]);
  const { id } = site.run();
  const decide = (...args: string[]) =>
    JSON.parse(site.carrel.run(site.repository, 'task', ...args, '--json').stdout) as Task;
  expect(decide('reject', id, '-m', 'again', '--retry').status).toBe('waiting-for-approval');
  const done = decide('approve', id);
  expect(done.status).toBe('succeeded');
  expect(readWork(site, done, 'inside')).toBe('hidden\nhidden');
});

thoroughTest('a stage does not weaken the isolation of its task', (context: TestContext) => {
  requireBubblewrap(context);
  const site = makeSite([{ name: 'inside', isolation: 'worktree' }]);
  const done = site.run('--isolation', 'full');
  expect(done).toMatchObject({
    status: 'succeeded',
    isolation: { effective: 'full' },
    warnings: expect.arrayContaining([expect.stringContaining('weaker than full')]),
  });
  expect(readWork(site, done, 'inside')).toBe('hidden');
});

test('where a stage cannot have its isolation, the task fails before the first stage', () => {
  const stages = [
    { name: 'before', agent: 'noting' },
    { name: 'inside', agent: 'noting', isolation: 'full' },
  ];
  const without = makeSite(stages, { PATH: pathWithout('bwrap', 'podman', 'docker') });
  const shared = makeSite(stages);
  for (const [site, ...args] of [[without], [shared, '--isolation', 'shared']] as const) {
    const failed = site.run(...args);
    expect(failed).toMatchObject({
      status: 'failed',
      failure: { kind: 'isolation' },
      stages: [{ attempts: 0 }, { attempts: 0 }],
    });
    expect(site.tally()).toEqual([]);
  }
});

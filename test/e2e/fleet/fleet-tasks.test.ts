import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { type FleetBench, withFleetBench } from '../../helpers/fleet/fleet-bench.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';

const AGENTS = {
  planner: 'cat > /dev/null; echo "a plan" > "$CARREL_OUTPUT_DIR/plan.md"; echo planned',
  writer: 'cat > /dev/null; echo writing; cp "$CARREL_INPUT_DIR"/plan* new.txt',
};

const STAGES = [
  { name: 'planning', agent: 'planner', outputs: ['plan'] },
  { name: 'writing', agent: 'writer', inputs: ['plan'], checks: ['test -s new.txt && test -s set-up.log'] },
];

test('a task on a worker comes back with its branch, log and outputs, and lands as a local one does', async () => {
  const { repository, carrel, run } = makeScriptedTasks({ agents: AGENTS, stages: STAGES });
  writeFiles(repository, { '.carrel/config.yaml': 'workspace:\n  setup:\n    - echo yes > set-up.log\n' });
  git(repository, 'add', '.');
  git(repository, 'commit', '-qm', 'set up workspaces');
  const address = join(tempDir(), 'fleet');
  await withFleetBench(
    address,
    async bench => {
      const before = git(repository, 'rev-parse', 'HEAD');
      const worker = await bench.startWorker('one');
      const task = run('--on', address, '--isolation', 'worktree', '--trust');
      expect(task).toMatchObject({
        ...{ status: 'succeeded', base: before, workspaceId: null, workspaceKept: false },
        fleet: { name: address, host: worker.host },
        isolation: { requested: 'worktree', effective: 'worktree' },
        runs: [{ outcome: 'succeeded' }],
      });
      expect(task.stages.map(({ name, status }) => `${name} ${status}`)).toEqual([
        'planning succeeded',
        'writing succeeded',
      ]);
      expect(git(repository, 'rev-parse', task.branch as string)).toBe(task.head);
      expect(git(repository, 'log', '-1', '--format=%B', task.head as string)).toContain(
        `Carrel-Task: ${task.id}`,
      );
      expect(carrel.ok(repository, 'task', 'diff', task.id)).toContain('+a plan');
      expect(carrel.ok(repository, 'task', 'logs', task.id)).toContain('writing');
      expect(carrel.ok(repository, 'task', 'show', task.id)).toContain(worker.host);
      const [output] = task.stages[0]?.outputs ?? [];
      expect(output?.file.startsWith(carrel.stateDir)).toBe(true);
      // Its commits are here, so that its files on the fleet are no longer needed.
      expect(carrel.json(repository, 'fleet', 'gc', '--on', address)).toMatchObject({ runs: [] });
      carrel.ok(repository, 'land', task.id);
      expect(git(repository, 'show', 'HEAD:new.txt')).toBe('a plan');
      expect(worker.carrel.json<Task[]>(worker.carrel.home, 'task', 'ls', '--all')).toEqual([]);
      expect(worker.carrel.json<unknown[]>(worker.carrel.home, 'ls', '--all')).toEqual([]);
    },
    {},
    carrel,
  );
});

const WAITING = {
  planner: 'cat > /dev/null; echo planned >> "$TALLY"',
  writer: `cat > /dev/null; echo begun >> "$TALLY"; echo half > half.txt
    while [ ! -e "$TALLY.go" ]; do sleep 0.1; done; echo done > done.txt`,
};

const WAITING_STAGES = [
  { name: 'planning', agent: 'planner' },
  { name: 'writing', agent: 'writer' },
];

test('a cancelled task keeps its work, and a retry continues from there on the fleet', async () => {
  const tasks = makeScriptedTasks({ agents: WAITING, stages: WAITING_STAGES });
  const { repository, carrel, tally, show } = tasks;
  const address = join(tempDir(), 'fleet');
  const use = async (bench: FleetBench) => {
    await bench.startWorker('one');
    const running = bench.startTask(repository, 'run', 'wait', '--on', address, '--isolation', 'worktree');
    await waitFor('the agent', () => tally().includes('begun') || undefined);
    const [{ id }] = carrel.json<[Task]>(repository, 'task', 'ls');
    const cancelled = carrel.json<Task>(repository, 'task', 'cancel', id);
    expect(cancelled).toMatchObject({ status: 'cancelled', runs: [{ outcome: 'cancelled' }] });
    expect(await running).toMatchObject({ status: 1 });
    expect(git(repository, 'show', `${cancelled.branch}:half.txt`)).toBe('half');
    expect(carrel.ok(repository, 'task', 'logs', id)).toContain('planning');
    writeFiles(carrel.home, { 'tally.go': '' });
    expect(tasks.retry(id)).toMatchObject({ status: 'succeeded', branch: cancelled.branch });
    expect(tally()).toEqual(['planned', 'begun', 'begun']);
    expect(show(id).runs.map(({ outcome }) => outcome)).toEqual(['cancelled', 'succeeded']);
    expect(git(repository, 'show', `${cancelled.branch}:done.txt`)).toBe('done');
  };
  await withFleetBench(address, use, {}, carrel);
});

test('what cannot travel is refused before a task exists', async () => {
  const key = 'k-0123456789abcdefghij';
  const { repository, carrel } = makeScriptedTasks({
    agents: { ...AGENTS, leaking: `echo ${key}` },
    stages: STAGES,
    environment: { LAB_API_KEY: key },
  });
  const address = join(tempDir(), 'fleet');
  const use = async () => {
    const refuse = (...args: string[]) => carrel.error(repository, 'run', 'it', '--trust', ...args).code;
    expect(refuse('--on', join(tempDir(), 'none'))).toBe('FLEET_NOT_INITIALIZED');
    for (const option of ['--land', '--push', '--keep', '--isolation=shared', '--strategy=directory'])
      expect(refuse('--on', address, option), option).toBe('TASK_CANNOT_TRAVEL');
    expect(refuse('--on', address, '--branch', 'other')).toBe('TASK_CANNOT_TRAVEL');
    expect(refuse('--on', address, '--agent', 'leaking')).toBe('AGENT_CANNOT_TRAVEL');
    expect(refuse('--on', address, '--label', 'not a word')).toBe('INVALID_INPUT');
    expect(refuse('--label', 'gpu')).toBe('INVALID_INPUT');
    expect(carrel.json(repository, 'task', 'ls')).toEqual([]);
  };
  await withFleetBench(address, use, {}, carrel);
});

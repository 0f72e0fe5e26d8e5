import { expect, onTestFinished, test } from 'vitest';
import type { CarrelEvent } from '../../../src/domain/event.js';
import { createCarrel } from '../../../src/index.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { git } from '../../helpers/repository.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';

const TASKS = 20;
const SLOTS = 4;

test('many concurrent tasks share four places, in order, and no work is lost', async () => {
  const site = makeScriptedTasks({
    agents: {
      worker: 'echo begin >> "$TALLY"; echo "$CARREL_TASK_ID" > "$CARREL_TASK_ID.txt"; echo end >> "$TALLY"',
    },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
    config: { tasks: { workflow: 'work', concurrency: SLOTS } },
  });
  const before = fingerprint(site.repository);
  const carrel = await createCarrel({ repository: site.repository, environment: site.carrel.env });
  onTestFinished(() => carrel.close());
  const created = [];
  for (let number = 1; number <= TASKS; number++)
    created.push(
      await carrel.createTask({ description: `Task ${number}`, priority: number === TASKS ? 1 : 0 }),
    );
  // Most in this process, some each in a separate one.
  const done = await Promise.all(
    created.map(({ id }, index) =>
      index % 4 === 3 ? site.carrel.start(site.repository, 'task', 'execute', id) : carrel.executeTask(id),
    ),
  );
  expect(done).toHaveLength(TASKS);
  const tasks = await Promise.all(created.map(({ id }) => carrel.tasks.show(id)));
  expect(tasks.map(({ status, failure }) => failure?.message ?? status)).toEqual(
    Array(TASKS).fill('succeeded'),
  );
  for (const { id, branch } of tasks) expect(git(site.repository, 'show', `${branch}:${id}.txt`)).toBe(id);
  expect(mostAtOnce(site.tally())).toBeLessThanOrEqual(SLOTS);
  await expectOrder(carrel.events({ taskId: created[0]?.id }));
  expect(fingerprint(site.repository)).toEqual(before);
}, 120_000);

function mostAtOnce(tally: readonly string[]): number {
  let now = 0;
  return Math.max(...tally.map(line => (line === 'begin' ? ++now : now--)));
}

async function expectOrder(events: AsyncIterable<CarrelEvent>): Promise<void> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  expect(types).toEqual([
    'task.created',
    'task.started',
    'task.workspace-ready',
    'stage.started',
    'stage.attempt-started',
    'stage.succeeded',
    'task.validating',
    'task.succeeded',
    'task.workspace-removed',
  ]);
}

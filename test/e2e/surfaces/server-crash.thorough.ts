import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CarrelEvent } from '../../../src/domain/event.js';
import type { LogLine } from '../../../src/domain/task/log-line.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { findByWord } from '../../helpers/machine/processes.js';
import { git } from '../../helpers/repository.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { waitFor } from '../../helpers/wait-for.js';

const TASKS = 10;

/** Waits until the test lets all go on. */
const AGENT = `echo begun; echo begun >> "$TALLY"
while ! test -e "$TALLY.go"; do sleep 0.1; done
echo "$CARREL_TASK_ID" > "$CARREL_TASK_ID.txt"; echo done`;

test('a server killed during ten tasks is restarted: streams continue without a gap, and nothing is lost', async () => {
  const { repository, carrel, tally } = makeScriptedTasks({
    agents: { worker: AGENT },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
    config: { tasks: { workflow: 'work', concurrency: TASKS } },
  });
  const before = fingerprint(repository);
  const first = await serveCarrel(carrel, repository, '--port', '0');
  const { client } = first;
  const submitted = await Promise.all(
    Array.from({ length: TASKS }, (_, index) =>
      client.developer.submit({ story: `Task ${index}`, targetRepository: repository }),
    ),
  );
  const ids = submitted.map(({ id }) => id);
  await waitFor('ten agents', () => (tally().length === TASKS ? true : undefined), 60_000);

  const events: CarrelEvent[] = [];
  const allEnded = followEvents(client.events({ after: 0 }), events, ids);
  const logs = ids.map(async id => collect(client.tasks.log(id, { follow: true })));
  await waitFor('the first events', () => (events.length >= 5 * TASKS ? true : undefined));

  await first.kill();
  // The machine takes one of the tasks down as well.
  const [victim = ''] = ids;
  const [pid = 0] = findByWord(victim);
  process.kill(pid, 'SIGKILL');
  const second = await serveCarrel(carrel, repository, '--port', String(first.port));
  writeFileSync(join(carrel.home, 'tally.go'), '');

  await allEnded;
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const workflows = await Promise.all(ids.map(id => client.developer.show(id)));
  expect(workflows.map(({ status }) => status)).toEqual(Array(TASKS).fill('completed'));
  expect(workflows[0]?.task.runs.map(({ outcome }) => outcome)).toEqual(['interrupted', 'succeeded']);
  for (const { id, worktreePath, task } of workflows) {
    expect(existsSync(join(worktreePath ?? '', `${id}.txt`))).toBe(true);
    expect(git(repository, 'show', `${task.branch}:${id}.txt`)).toBe(id);
  }
  // That of the task that was killed has ended with its process.
  for (const [index, id] of ids.entries())
    if (id !== victim) expect(await logs[index]).toEqual(await collect(client.tasks.log(id)));
  await logs[0];
  expect(fingerprint(repository)).toEqual(before);
  expect((await second.stop()).signal).toBeNull();
}, 120_000);

async function collect(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const all: LogLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** Until all tasks have succeeded. */
async function followEvents(
  stream: AsyncIterable<CarrelEvent>,
  events: CarrelEvent[],
  ids: readonly string[],
): Promise<void> {
  const open = new Set<string | null>(ids);
  for await (const event of stream) {
    events.push(event);
    if (event.type === 'task.succeeded') open.delete(event.taskId);
    if (open.size === 0) return;
  }
}

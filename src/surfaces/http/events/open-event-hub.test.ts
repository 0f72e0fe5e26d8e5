import { expect, onTestFinished, test } from 'vitest';
import { makeTaskSite } from '../../../../test/helpers/task/task-site.js';
import type { CarrelEvent, NewEvent } from '../../../domain/event.js';
import { openEventHub } from './open-event-hub.js';

const happening = (count: number, taskId?: string): NewEvent[] =>
  Array.from({ length: count }, () => ({
    type: 'task.warning',
    repositoryId: null,
    workspaceId: null,
    taskId,
    data: {},
  }));

async function makeHub() {
  const { app, insert } = await makeTaskSite();
  const hub = openEventHub({ store: app.store, onTrouble: error => expect.unreachable(String(error)) });
  onTestFinished(() => hub.close());
  return { app, hub, insert };
}

async function take(events: AsyncIterable<CarrelEvent>, count: number): Promise<number[]> {
  const sequences: number[] = [];
  for await (const { sequence } of events) if (sequences.push(sequence) === count) break;
  return sequences;
}

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test('late, current and slow listeners get every event once and in order', async () => {
  const { app, hub } = await makeHub();
  const { signal } = new AbortController();
  await app.store.events.append(happening(1_200));
  const late = take(hub.follow({ after: 0, signal }), 4_300);
  const there = take(hub.follow({ after: undefined, signal }), 3_100);
  const slow = hub.follow({ after: 1_150, signal })[Symbol.asyncIterator]();
  expect((await slow.next()).value?.sequence).toBe(1_151);
  for (let round = 0; round < 31; round++) await app.store.events.append(happening(100));
  expect(await there).toEqual(upTo(4_300, 1_201));
  expect(await late).toEqual(upTo(4_300));
  const rest = { [Symbol.asyncIterator]: () => slow };
  expect(await take(rest, 3_149)).toEqual(upTo(4_300, 1_152));
  expect(hub.listeners).toBe(0);
});

test('the events of a task stop with it, at once if it has already stopped', async () => {
  const { app, hub, insert } = await makeHub();
  const { signal } = new AbortController();
  const { id } = await insert({ status: 'running' });
  await app.store.events.append([...happening(1, id), ...happening(2), ...happening(1, id)]);
  const all = take(hub.follow({ after: undefined, taskId: id, signal }), Number.POSITIVE_INFINITY);
  await app.store.tasks.update(id, { statuses: ['running'] }, { status: 'failed' }, happening(1, id));
  expect(await all).toEqual([1, 4, 5]);
  expect(await take(hub.follow({ after: 4, taskId: id, signal }), Number.POSITIVE_INFINITY)).toEqual([5]);
});

test('the last event of a task arrives even if the task was read as stopped before the event', async () => {
  const { app, hub, insert } = await makeHub();
  const { signal } = new AbortController();
  const { id } = await insert({ status: 'running' });
  // Another listener, so that the hub has the newest events in memory.
  const other = hub.follow({ after: 0, signal })[Symbol.asyncIterator]();
  await app.store.events.append(happening(1, id));
  await other.next();
  const events = hub.follow({ after: 0, taskId: id, signal })[Symbol.asyncIterator]();
  expect((await events.next()).value?.sequence).toBe(1);
  await app.store.tasks.update(id, { statuses: ['running'] }, { status: 'failed' }, happening(1, id));
  expect((await events.next()).value?.sequence).toBe(2);
  expect(await events.next()).toMatchObject({ done: true });
  await other.return?.();
});

test('a listener stops with its signal or with the hub, even while there are no events', async () => {
  const { hub } = await makeHub();
  const leaving = new AbortController();
  const first = take(hub.follow({ after: undefined, signal: leaving.signal }), 1);
  const second = take(hub.follow({ after: undefined, signal: new AbortController().signal }), 1);
  expect(hub.listeners).toBe(2);
  leaving.abort();
  expect(await first).toEqual([]);
  expect(hub.listeners).toBe(1);
  await hub.close();
  expect(await second).toEqual([]);
});

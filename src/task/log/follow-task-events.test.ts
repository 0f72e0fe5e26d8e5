import { expect, test } from 'vitest';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import type { CarrelEvent, EventType } from '../../domain/event.js';
import { sampleEvent } from '../../store/contract/sample-records.js';
import { stopTask } from '../record/stop-task.js';
import { taskEvents } from './follow-task-events.js';

async function readAll(events: AsyncIterable<CarrelEvent>): Promise<EventType[]> {
  const types: EventType[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

test('streams the events of one task until it ends', async () => {
  const { app, insert } = await makeTaskSite();
  const task = await insert({ status: 'running', owner: app.self });
  const about = (type: EventType) => ({ ...sampleEvent(type, null), taskId: task.id });
  await app.store.events.append([about('task.created'), sampleEvent('recovery.done')]);
  const types: EventType[] = [];
  for await (const { type } of taskEvents(app, { taskId: task.id })) {
    types.push(type);
    if (type === 'task.created') await app.store.events.append([about('stage.started')]);
    if (type === 'stage.started') await stopTask(app, task, 'cancelled');
  }
  expect(types).toEqual(['task.created', 'stage.started', 'task.cancelled']);
  const [first] = await app.store.events.list({ limit: 1 });
  const after = first?.sequence as number;
  expect(await readAll(taskEvents(app, { taskId: task.id, after }))).toEqual(types.slice(1));
});

test('a watcher notices that the process died', async () => {
  const { app, insert } = await makeTaskSite();
  const { id } = await insert({ status: 'running', owner: { ...app.self, startedAt: 'another' } });
  expect(await readAll(taskEvents(app, { taskId: id }))).toEqual(['task.interrupted']);
});

test('without a task, streams all events from the call until the signal', async () => {
  const { app, insert } = await makeTaskSite();
  await app.store.events.append([sampleEvent('recovery.done')]);
  const controller = new AbortController();
  const events = taskEvents(app, { signal: controller.signal });
  await stopTask(app, await insert(), 'cancelled');
  const types: EventType[] = [];
  for await (const { type } of events) {
    types.push(type);
    if (type === 'task.cancelled') await app.store.events.append([sampleEvent('trust.granted')]);
    if (type === 'trust.granted') controller.abort();
  }
  expect(types).toEqual(['task.cancelled', 'trust.granted']);
});

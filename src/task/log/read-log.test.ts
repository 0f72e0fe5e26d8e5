import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { TaskRecord } from '../../domain/task/task.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import type { Context } from '../../operations/context.js';
import { sampleTask } from '../../store/contract/sample-records.js';
import { openSqliteStore } from '../../store/sqlite/open-sqlite-store.js';
import { taskPlace } from '../record/task-place.js';
import { readLog } from './read-log.js';
import { openTaskLog } from './task-log.js';

const self = identifyProcess(process.pid) as ProcessIdentity;
const say = (text: string) => ({ stage: null, attempt: 0, stream: 'carrel', text }) as const;

async function makeTask(change: Partial<TaskRecord>) {
  const stateDir = tempDir();
  const store = await openSqliteStore({ file: join(stateDir, 'carrel.db'), now: Date.now });
  onTestFinished(() => store.close());
  const task = sampleTask(change);
  await store.tasks.insert(task, []);
  const context = { store, places: { stateDir } } as Context;
  const { logFile } = taskPlace(stateDir, task.id);
  mkdirSync(dirname(logFile), { recursive: true });
  const heard: string[] = [];
  const follow = async (signal?: AbortSignal): Promise<string[]> => {
    for await (const line of readLog(context, { id: task.id, follow: true, signal })) heard.push(line.text);
    return heard;
  };
  const hear = (text: string) => waitFor(`the line ${text}`, () => heard.find(line => line === text));
  const end = (expected: TaskRecord['status']) =>
    store.tasks.update(task.id, { statuses: [expected] }, { status: 'failed', owner: null }, []);
  return { context, task, logFile, follow, hear, end };
}

test('a follower gets every line until the task has ended and its process has written the last', async () => {
  const { context, task, logFile, follow, hear, end } = await makeTask({ status: 'running', owner: self });
  const following = follow();
  const log = openTaskLog(logFile, { now: Date.now, writer: self });
  log.line(say('one'));
  await hear('one');
  appendFileSync(logFile, '{"at":"2026-03-02T12:00:00.000Z","stage":null,"attempt":0,"stream":"carrel",');
  log.line(say('two'));
  await hear('two');
  await end('running');
  log.line(say('three'));
  await hear('three');
  log.close();
  expect(await following).toEqual(['one', 'two', 'three']);

  const lines: string[] = [];
  for await (const line of readLog(context, { id: task.id.slice(0, 16), follow: true }))
    lines.push(line.text);
  expect(lines).toEqual(['one', 'two', 'three']);
});

test('waits for an incomplete line', async () => {
  const { logFile, follow, hear, end } = await makeTask({ status: 'running', owner: self });
  const following = follow();
  const line = (text: string) => `${JSON.stringify({ at: '2026-03-02T12:00:00.000Z', ...say(text) })}\n`;
  appendFileSync(logFile, `${line('one')}${line('two').slice(0, 20)}`);
  await hear('one');
  appendFileSync(logFile, line('two').slice(20));
  await hear('two');
  truncateSync(logFile, 0);
  appendFileSync(logFile, line('anew'));
  await hear('anew');
  appendFileSync(logFile, line('last').slice(0, -1));
  await end('running');
  expect(await following).toEqual(['one', 'two', 'anew', 'last']);
});

test('does not wait for a killed process, and a missing log is empty', async () => {
  const child = spawn('sleep', ['60']);
  const owner = identifyProcess(child.pid as number) as ProcessIdentity;
  const { logFile, follow, hear } = await makeTask({ status: 'running', owner });
  const log = openTaskLog(logFile, { now: Date.now, writer: owner });
  log.line(say('one'));
  const following = follow();
  await hear('one');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await following).toEqual(['one']);
  log.close();

  const { context, task } = await makeTask({ status: 'failed' });
  expect(await readLog(context, { id: task.id, follow: true }).next()).toMatchObject({ done: true });
  await expect(readLog(context, { id: 'task_9999' }).next()).rejects.toMatchObject({
    code: 'TASK_NOT_FOUND',
  });
});

test('following stops when the signal is aborted', async () => {
  const { follow, hear, logFile } = await makeTask({ status: 'waiting' });
  const controller = new AbortController();
  const following = follow(controller.signal);
  const log = openTaskLog(logFile, { now: Date.now, writer: self });
  log.line(say('one'));
  await hear('one');
  controller.abort();
  expect(await following).toEqual(['one']);
  log.close();
});

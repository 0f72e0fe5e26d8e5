import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel } from '../../test/helpers/carrel.js';
import { makeRepository, writeFiles } from '../../test/helpers/repository.js';
import { requireBubblewrap } from '../../test/parts/bubblewrap.js';
import { type App, openApp } from '../app.js';
import type { TaskRecord } from '../domain/task/task.js';
import { grantTrust, reportTrust } from '../operations/trust/trust.js';
import { up } from '../operations/workspace/up.js';
import { type CreateTaskInput, createTask } from './create-task.js';
import { takeTurn } from './queue/take-turn.js';
import { recoverTasks } from './recovery/recover-tasks.js';

/** A repository with these files, and a user with all agents and this configuration. */
async function makeSite(files: Record<string, string> = {}, config = '') {
  const repository = makeRepository({ 'README.md': 'hello\n', ...files });
  const { env, home } = createCarrel();
  writeFiles(home, { 'config/carrel/config.yaml': config });
  const programs = join(home, 'programs');
  for (const name of ['amp', 'claude', 'codex']) {
    writeFiles(programs, { [name]: '#!/bin/sh\n' });
    chmodSync(join(programs, name), 0o755);
  }
  const open = async (): Promise<App> => {
    const environment = { ...env, PATH: `${programs}:${env.PATH}` };
    const app = await openApp({ environment, cwd: repository });
    onTestFinished(() => app.close());
    return app;
  };
  const app = await open();
  const create = (input: Partial<CreateTaskInput> = {}) =>
    createTask(app, { repository, description: 'Do it', workflow: 'quick', isolation: 'worktree', ...input });
  const find = async (id: string) => (await app.store.tasks.find(id)) as TaskRecord;
  return { app, open, repository, create, find };
}

test('agents that a repository chooses to run on the host need an approval, which names them', async () => {
  const { app, repository, create } = await makeSite({
    '.carrel/config.yaml':
      'tasks: {agent: amp}\nagents: {other: {preset: codex, model: big}, codex: {description: x}}\n',
    '.carrel/workflows/pick.yaml':
      'name: pick\ndescription: x\nstages: [{name: one, agent: codex}, {name: two, agent: claude}, {name: three, agent: other}]\n',
  });
  const refusal = (commands: string[]) => ({ code: 'TASK_COMMANDS_NOT_TRUSTED', details: { commands } });
  await expect(create()).rejects.toMatchObject(refusal(['tasks.agent: amp']));
  const picks = [
    'agents.other.preset: codex',
    'agents.other.model: big',
    'workflow pick, agent of one: codex',
  ];
  await expect(create({ workflow: 'pick' })).rejects.toMatchObject(refusal(picks));
  await expect(create({ agent: 'claude' })).resolves.toMatchObject({ status: 'waiting' });
  const { commands } = await reportTrust(app, { repository });
  expect(commands.toSorted()).toEqual([...picks, 'tasks.agent: amp'].toSorted());
  await grantTrust(app, { repository, commands });
  await expect(create()).resolves.toMatchObject({
    warnings: ['Amp has full access to this machine; run it in a sandbox with --isolation full'],
  });
});

test('a sandbox that replaces an approval must be available', async context => {
  requireBubblewrap(context);
  const { create, find } = await makeSite({ '.carrel/config.yaml': 'tasks: {agent: amp}\n' });
  const [chosen, own] = [
    await create({ isolation: 'full' }),
    await create({ isolation: 'full', agent: 'claude' }),
  ];
  expect([(await find(chosen.id)).plan.strict, (await find(own.id)).plan.strict]).toEqual([true, false]);
});

test('the approval for one task covers only its current setup', async () => {
  const setup = (command: string) => ({ '.carrel/config.yaml': `workspace: {setup: [${command}]}\n` });
  const { app, repository, create, find } = await makeSite(setup('"true"'));
  const { id } = await create({ trust: true });
  const { trust, baseRef } = (await find(id)).plan;
  const again = (name: string) =>
    up(app, { repository, name, base: baseRef ?? undefined, isolation: 'worktree', trust: trust ?? false });
  await expect(again('one')).resolves.toMatchObject({ name: 'one' });
  writeFiles(repository, setup('"echo other"'));
  await expect(again('two')).rejects.toMatchObject({ code: 'SETUP_NOT_TRUSTED' });
});

test('a task belongs to its creator if that process will execute it, and waits for any process otherwise', async () => {
  const { app, open, create, find } = await makeSite();
  const [mine, free] = [await create({ taker: 'this-process' }), await create()];
  expect((await find(mine.id)).owner).toEqual(app.self);
  const later = { ...(await open()), now: () => Date.now() + 600_000 };
  await recoverTasks(later);
  expect((await find(free.id)).status).toBe('waiting');
  const turns = [1, 2].map(async () => takeTurn(app, await find(mine.id), { concurrency: 4 }));
  const outcomes = await Promise.allSettled(turns);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(takeTurn(app, await find(free.id), { concurrency: 4 })).resolves.toMatchObject({
    status: 'running',
  });
});

test('reports known problems before the task is created', async () => {
  const { app, create } = await makeSite({}, 'agents: {gone: {command: [no-such-program]}}\n');
  await expect(create({ description: 'a\0b' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  await expect(create({ agent: 'gone' })).rejects.toMatchObject({ code: 'PROGRAM_NOT_INSTALLED' });
  expect(await app.store.tasks.list()).toEqual([]);
});

test('warns about limits that cannot be enforced', async () => {
  const { create } = await makeSite({}, 'agents: {script: {command: "true"}}\n');
  const limits = { costUsd: 1, tokens: 1000 };
  const warningsOf = async (agent: string) => (await create({ agent, limits })).warnings;
  expect(await warningsOf('claude')).toEqual([]);
  expect(await warningsOf('codex')).toEqual([
    'the limit of 1 US dollars cannot stop developer: it never reports its usage',
    'the limit of 1000 tokens cannot stop developer while it runs: it reports its usage only at the end of an attempt',
  ]);
  expect(await warningsOf('script')).toHaveLength(2);
});

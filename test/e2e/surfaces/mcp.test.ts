import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LandResult } from '../../../src/domain/report/result.js';
import type { Snapshot } from '../../../src/domain/snapshot/snapshot.js';
import type { Task } from '../../../src/domain/task/task.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { identifyProcess, isAlive } from '../../../src/exec/process/identify-process.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { connectMcp, textOf } from '../../helpers/server/mcp-client.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { waitFor, waitForPid } from '../../helpers/wait-for.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// `carrel mcp`, the real binary, with the official client.

test('an agent creates a workspace, works in it, commits, reads its diff and lands it', async () => {
  const [carrel, repository] = [createTidyCarrel(), makeRepository()];
  await using mcp = await connectMcp(carrel, repository);
  const { client, call, ask } = mcp;
  expect(client.getInstructions()).toContain('workspace_create');
  // Every agent has it in its context all the time.
  expect(JSON.stringify(await client.listTools()).length).toBeLessThan(18_000);
  const { path } = await call<Workspace>('workspace_create', { name: 'login' });
  const written = await ask('workspace_exec', { workspace: 'login', command: 'echo one > new.txt; pwd' });
  expect(written).toMatchObject({ isError: false, structuredContent: { exitCode: 0, stdout: `${path}\n` } });
  const failed = await ask('workspace_exec', {
    workspace: 'login',
    command: ['sh', '-c', 'echo no >&2; exit 3'],
  });
  expect(textOf(failed)).toMatch(/^exit status 3 after \d+ ms\nstderr:\nno\n$/);
  const checkpoint = await call<Snapshot>('workspace_checkpoint', { workspace: 'login', message: 'before' });
  await call('workspace_exec', { workspace: 'login', command: 'git add -A; git commit -qm "add new"' });
  expect(await call('workspace_diff', { workspace: 'login', format: 'name-only' })).toMatchObject({
    diff: 'new.txt\n',
    truncated: false,
  });
  const landed = await call<LandResult>('workspace_land', { workspace: 'login' });
  expect(landed).toMatchObject({ into: 'main', commits: 1, removed: { name: 'login' } });
  expect(git(repository, 'log', '-1', '--format=%s', 'main')).toBe('add new');
  const restored = await call<Workspace>('workspace_restore', { snapshot: checkpoint.id, as: 'again' });
  expect(readFileSync(join(restored.path, 'new.txt'), 'utf8')).toBe('one\n');
  const { workspaces } = await call<{ workspaces: Workspace[] }>('workspace_list');
  expect(workspaces.map(({ name }) => name)).toEqual(['again']);
});

thoroughTest(
  'a removal that would lose work is refused with what would be lost and what accepts it',
  async () => {
    const [carrel, repository] = [createTidyCarrel(), makeRepository()];
    await using mcp = await connectMcp(carrel, repository);
    const { call, ask } = mcp;
    const { path } = await call<Workspace>('workspace_create', { name: 'draft' });
    await call('workspace_exec', { workspace: 'draft', command: 'echo one > new.txt' });
    const refused = await ask('workspace_remove', { workspace: 'draft' });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        removed: null,
        refused: { risks: [{ kind: 'untracked', items: ['new.txt'], acceptedBy: 'discardChanges' }] },
      },
    });
    expect(existsSync(path)).toBe(true);
    // From within a workspace it is the same repository.
    await using inside = await connectMcp(carrel, path);
    expect(await inside.call('workspace_create', { name: 'beside' })).toMatchObject({ repository });
    await inside.client.close();
    const { risks } = await call<{ risks: unknown[] }>('workspace_show', { workspace: 'draft' });
    expect(risks).toHaveLength(1);
    const removed = await call('workspace_remove', { workspace: 'draft', discardChanges: true });
    expect(removed).toMatchObject({ removed: { name: 'draft', snapshot: expect.stringMatching(/^snap_/) } });
    expect(existsSync(path)).toBe(false);
  },
);

test('errors are answers with code, message and hint; invalid input is one too', async () => {
  await using mcp = await connectMcp(createTidyCarrel(), makeRepository());
  const { ask, client } = mcp;
  const unknown = await ask('workspace_show', { workspace: 'nobody' });
  expect(unknown.isError).toBe(true);
  expect(JSON.parse(textOf(unknown))).toMatchObject({
    error: { code: 'WORKSPACE_NOT_FOUND', kind: 'not-found', hint: expect.any(String) },
  });
  const weaker = await ask('workspace_create', { isolation: 'shared' });
  expect(weaker.isError).toBe(true);
  await expect(client.readResource({ uri: 'carrel://workspaces/nobody/diff' })).rejects.toThrow('nobody');
});

thoroughTest('an agent cannot use ids of another repository', async () => {
  const [carrel, own, foreign] = [createTidyCarrel(), makeRepository(), makeRepository()];
  const { id, path } = carrel.json<Workspace>(foreign, 'up', 'theirs');
  const { id: snapshot } = carrel.json<Snapshot>(foreign, 'snapshot', 'theirs');
  await using mcp = await connectMcp(carrel, own);
  const { ask, client } = mcp;
  const codes = [];
  for (const [tool, input] of [
    ['workspace_exec', { workspace: id, command: 'touch seen' }],
    ['workspace_remove', { workspace: id }],
    ['workspace_restore', { snapshot, as: 'mine' }],
  ] as const)
    codes.push(JSON.parse(textOf(await ask(tool, input))).error.code);
  expect(codes).toEqual(['WORKSPACE_NOT_FOUND', 'WORKSPACE_NOT_FOUND', 'SNAPSHOT_NOT_FOUND']);
  expect(existsSync(join(path, 'seen'))).toBe(false);
  await expect(client.readResource({ uri: `carrel://workspaces/${id}/diff` })).rejects.toThrow(id);
});

thoroughTest(
  'where an agent was started leads it to no other repository, whatever it writes there',
  async () => {
    const [carrel, own, foreign] = [createTidyCarrel(), makeRepository(), makeRepository()];
    carrel.ok(foreign, 'up', 'theirs');
    const { path } = carrel.json<Workspace>(own, 'up', 'mine');
    await using mcp = await connectMcp(carrel, path);
    const names = async () =>
      (await mcp.call<{ workspaces: Workspace[] }>('workspace_list')).workspaces.map(({ name }) => name);
    expect(await names()).toEqual(['mine']);
    const pointer = readFileSync(join(path, '.git'));
    writeFileSync(join(path, '.git'), `gitdir: ${join(foreign, '.git')}\n`);
    expect(await names()).toEqual(['mine']);
    writeFileSync(join(path, '.git'), pointer);
  },
);

thoroughTest("no command is run in the user's own directory, nor where another agent works", async () => {
  const { carrel, repository } = makeScriptedTasks({ ...TASKS, agents: { writer: SLEEPING } });
  carrel.ok(repository, 'up', 'here', '--workspace', repository);
  await using mcp = await connectMcp(carrel, repository);
  const { id } = await mcp.call<Task>('task_run', { description: 'Do it', detach: true });
  await waitForPid(join(carrel.home, 'tally'));
  const { task } = await mcp.call<{ task: Task }>('task_status', { task: id });
  const answers = [];
  for (const workspace of ['here', task.workspaceId as string])
    answers.push(textOf(await mcp.ask('workspace_exec', { workspace, command: 'touch seen' })));
  await mcp.call('task_cancel', { task: id });
  const codes = answers.map(answer => JSON.parse(answer).error.code);
  expect(codes).toEqual(['NOT_SUPPORTED', 'WORKSPACE_BUSY']);
  expect(existsSync(join(repository, 'seen'))).toBe(false);
});

thoroughTest(
  "a server that can't open its store reports it to clients, and works again when it can",
  async () => {
    const [carrel, repository] = [createTidyCarrel(), makeRepository()];
    writeFileSync(carrel.stateDir, 'no directory');
    await using mcp = await connectMcp(carrel, repository);
    expect((await mcp.ask('workspace_list')).isError).toBe(true);
    rmSync(carrel.stateDir);
    expect(await mcp.call('workspace_list')).toEqual({ workspaces: [] });
  },
);

thoroughTest(
  'long output and long diffs are truncated, which is reported, and a resource has the rest',
  async () => {
    const [carrel, repository] = [createTidyCarrel(), makeRepository()];
    await using mcp = await connectMcp(carrel, repository);
    const { ask, call, client } = mcp;
    const { id } = await call<Workspace>('workspace_create', { name: 'long' });
    const command = 'seq 1 20000 | tee numbers.txt';
    const { stdout, truncated } = await call<{ stdout: string; truncated: boolean }>('workspace_exec', {
      workspace: 'long',
      command,
      maxOutputBytes: 1000,
    });
    expect(truncated).toBe(true);
    expect(stdout).toMatch(/^1\n2\n(?:.|\n)*bytes left out(?:.|\n)*\n19999\n20000\n$/);
    const diff = await ask('workspace_diff', { workspace: 'long', maxBytes: 1000 });
    expect(diff.structuredContent).toMatchObject({ truncated: true });
    const uri = `carrel://workspaces/${id}/diff`;
    expect(diff.content[1]).toMatchObject({ type: 'resource_link', uri });
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text).toContain('\n+20000\n');
    const { resources } = await client.listResources();
    expect(resources.map(resource => resource.uri)).toEqual(['carrel://workspaces', uri]);
  },
);

test('cancelling a call kills its command, and closing standard input stops the server and everything it started', async () => {
  const [carrel, repository] = [createTidyCarrel(), makeRepository()];
  await using mcp = await connectMcp(carrel, repository);
  const { ask, call, client, pid } = mcp;
  const server = identifyProcess(pid);
  const { path } = await call<Workspace>('workspace_create', { name: 'busy' });
  const begin = async (file: string, signal?: AbortSignal) => {
    const command = `(echo $$ > ${file}; exec sleep 600)`;
    const answer = ask('workspace_exec', { workspace: 'busy', command }, signal && { signal });
    answer.catch(() => undefined);
    const process = identifyProcess(await waitForPid(join(path, file)));
    return { answer, isGone: () => process === undefined || isAlive(process) === 'dead' || undefined };
  };
  const cancelling = new AbortController();
  const first = await begin('first', cancelling.signal);
  cancelling.abort();
  await expect(first.answer).rejects.toThrow();
  await waitFor('the end of the cancelled command', first.isGone);
  const second = await begin('second');
  await client.close();
  await waitFor('the end of the command', second.isGone);
  await waitFor('the end of the server', () => (server && isAlive(server) === 'alive' ? undefined : true));
  expect(carrel.json<Workspace[]>(repository, 'ls')).toHaveLength(1);
});

test('a request for a sandbox gets one around every command, or is refused', async context => {
  requireBubblewrap(context);
  const repository = makeRepository();
  const carrel = createTidyCarrel();
  await using mcp = await connectMcp(carrel, repository);
  const full = await mcp.call<Workspace>('workspace_create', { name: 'safe', isolation: 'full' });
  expect(full.isolation).toMatchObject({ effective: 'full', isStrict: true });
  const outside = join(carrel.home, 'outside');
  const command = `echo one > inside.txt; echo $HOME; touch ${outside}`;
  const { stdout } = await mcp.call<{ stdout: string }>('workspace_exec', { workspace: 'safe', command });
  expect(stdout).toBe('/home/agent\n');
  expect([existsSync(join(full.path, 'inside.txt')), existsSync(outside)]).toEqual([true, false]);
  const path = pathWithout('bwrap', 'podman', 'docker');
  await using bare = await connectMcp({ ...carrel, env: { ...carrel.env, PATH: path } }, repository);
  const refused = await bare.ask('workspace_create', { name: 'bare', isolation: 'full' });
  expect(JSON.parse(textOf(refused)).error.code).toBe('ISOLATION_UNAVAILABLE');
  const { workspaces } = await bare.call<{ workspaces: Workspace[] }>('workspace_list');
  expect(workspaces.map(({ name }) => name)).toEqual(['safe']);
});

const TASKS = {
  agents: { writer: 'cat > /dev/null; echo hello from the agent; echo new > new.txt' },
  stages: [{ name: 'writing', agent: 'writer' }],
  workflow: { isolation: 'worktree' },
};

const SLEEPING = 'cat > /dev/null; echo begun > begun.txt; echo $$ > "$TALLY"; exec sleep 600';

thoroughTest('a task is run to its end with progress, or detached, and its log is a resource', async () => {
  const { carrel, repository } = makeScriptedTasks(TASKS);
  await using mcp = await connectMcp(carrel, repository);
  const { ask, call, client } = mcp;
  const messages: (string | undefined)[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void messages.push(message);
  const done = await ask('task_run', { description: 'Do it', keep: true }, { onprogress });
  const task = done.structuredContent as Task;
  expect(task).toMatchObject({ status: 'succeeded', workspaceKept: true });
  expect(messages).toContain('stage.started writing');
  const { contents } = await client.readResource({ uri: `carrel://tasks/${task.id}/log` });
  expect((contents[0] as { text: string }).text).toContain('hello from the agent');
  const { id } = await call<Task>('task_run', { description: 'Do it', detach: true });
  const status = async () => (await call<{ task: Task }>('task_status', { task: id })).task.status;
  while ((await status()) !== 'succeeded') expect(await status()).not.toBe('failed');
});

thoroughTest('a task whose call is cancelled is cancelled too, and its work is kept', async () => {
  const { carrel, repository } = makeScriptedTasks({ ...TASKS, agents: { writer: SLEEPING } });
  await using mcp = await connectMcp(carrel, repository);
  const cancelling = new AbortController();
  const answer = mcp.ask('task_run', { description: 'Do it' }, { signal: cancelling.signal });
  answer.catch(() => undefined);
  const agent = identifyProcess(await waitForPid(join(carrel.home, 'tally')));
  cancelling.abort();
  await expect(answer).rejects.toThrow();
  await waitFor('the end of the agent', () => (agent && isAlive(agent) !== 'dead' ? undefined : true));
  const task = await waitFor('the end of the task', () =>
    carrel.json<Task[]>(repository, 'task', 'ls').find(({ status }) => status === 'cancelled'),
  );
  expect(readFileSync(join(task.worktreePath as string, 'begun.txt'), 'utf8')).toBe('begun\n');
  expect(JSON.parse(textOf(await mcp.ask('task_cancel', { task: task.id }))).error.code).toBe('TASK_BUSY');
});

test('an unknown field is refused with the nearest known name, and nothing is done', async () => {
  const [carrel, repository] = [createTidyCarrel(), makeRepository()];
  await using mcp = await connectMcp(carrel, repository);
  const { client, ask, call } = mcp;
  const answer = await ask('workspace_create', { name: 'a', isolatoin: 'full' });
  expect(answer.isError).toBe(true);
  expect(textOf(answer)).toContain('unknown field "isolatoin"; did you mean "isolation"?');
  expect(await call('workspace_list')).toMatchObject({ workspaces: [] });
  const { tools } = await client.listTools();
  expect(
    tools.filter(tool => tool.inputSchema.additionalProperties !== false).map(tool => tool.name),
  ).toEqual([]);
});

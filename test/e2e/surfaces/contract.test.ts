import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { commandTable } from '../../../src/surfaces/cli/command-table.js';
import { derivedCommands } from '../../../src/surfaces/cli/derived-commands.js';
import { type Carrel, createCarrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';

// What scripts and other programs may rely on.

type Answer = readonly [command: string, args: readonly string[], schema: string];

/** Every command once with --json, in an order in which they all succeed, with the schema that its answer follows. */
const answers: readonly Answer[] = [
  ['init', ['init'], 'init'],
  ['up', ['up', 'a', '--no-setup'], 'workspace'],
  ['ls', ['ls'], 'workspaces'],
  ['show', ['show', 'a'], 'workspace-page'],
  ['path', ['path', 'a'], 'path'],
  ['open', ['open', 'a', '--with', 'true'], 'opening'],
  ['exec', ['exec', 'a', '--', 'touch', 'new.txt'], 'command-result'],
  ['shell', ['shell', 'a'], 'command-result'],
  ['diff', ['diff', 'a'], 'diff'],
  ['snapshot', ['snapshot', 'a', '-m', 'a note'], 'snapshot'],
  ['snapshots', ['snapshots'], 'snapshots'],
  ['land', ['land', 'a', '-m', 'land it', '--keep'], 'landing'],
  ['down', ['down', 'a'], 'removal'],
  ['restore', ['restore', 'a'], 'workspace'],
  ['gc', ['gc'], 'gc'],
  ['worktrees list', ['worktrees', 'list'], 'worktrees'],
  ['worktrees cleanup', ['worktrees', 'cleanup', '--older-than', '0s'], 'gc'],
  ['worktrees remove', ['worktrees', 'remove', 'a'], 'removal'],
  ['task ls', ['task', 'ls'], 'tasks'],
  ['workflow ls', ['workflow', 'ls'], 'workflows'],
  ['workflow show', ['workflow', 'show', 'feature'], 'workflow-page'],
  ['workflow check', ['workflow', 'check'], 'workflow-check'],
  ['pool warm', ['pool', 'warm', '1'], 'pool-warming'],
  ['pool status', ['pool', 'status'], 'pool'],
  ['pool drain', ['pool', 'drain'], 'pool-draining'],
  ['trust', ['trust', '--list'], 'trust'],
  ['config show', ['config', 'show'], 'config-report'],
  ['doctor', ['doctor'], 'doctor'],
  ['install', ['install', 'claude'], 'install'],
  ['completion', ['completion', 'bash'], 'completion'],
  ['fleet init', ['fleet', 'init', 'fleet'], 'fleet-creation'],
  ['fleet ls', ['fleet', 'ls', '--on', 'fleet'], 'fleet'],
  ['fleet gc', ['fleet', 'gc', '--on', 'fleet', '--dry-run'], 'fleet-cleanup'],
  ['fleet key', ['fleet', 'key'], 'fleet-key'],
  ['fleet template', ['fleet', 'template', 'systemd'], 'fleet-template'],
];

/** The same for batches, with a dataset `set.yaml` with a task `one`. */
const answersOfBatches: readonly Answer[] = [
  ['eval datasets', ['eval', 'datasets', 'set.yaml'], 'dataset-report'],
  ['eval run', ['eval', 'run', '--dataset', 'set.yaml', '--agent', 'oracle'], 'batch-run'],
  ['eval resume', ['eval', 'resume', 'latest'], 'batch-run'],
  ['eval ls', ['eval', 'ls'], 'batch-runs'],
  ['eval show', ['eval', 'show', 'latest'], 'batch-run'],
  ['eval show', ['eval', 'show', 'latest', '--task', 'one'], 'attempts'],
  ['eval grade', ['eval', 'grade', 'latest'], 'batch-run'],
  ['eval compare', ['eval', 'compare', 'latest', 'latest'], 'comparison'],
  ['eval check', ['eval', 'check', '--dataset', 'set.yaml', '--repeats', '1'], 'eval-check'],
  ['eval export', ['eval', 'export', 'latest', '--format', 'csv'], 'run-export'],
  ['eval export', ['eval', 'export', 'latest', '--format', 'html', '--out', 'a.html'], 'run-export'],
  ['eval rm', ['eval', 'rm', 'latest'], 'run-removal'],
];

/** These need an agent: see tasks.test.ts. */
const ofTasks = ['show', 'logs', 'cancel', 'retry', 'publish', 'execute']
  .map(verb => `task ${verb}`)
  .concat('run');

/** These need what an agent writes: see hooks.test.ts. */
const ofHooks = ['hook worktree-create', 'hook worktree-remove'];

/** These need a server or are one: see server-flow, server-commands, stories, story-history and mcp.test.ts. */
const ofServers = ['serve', 'dashboard', 'mcp'].concat(
  ['run', 'ls', 'show', 'compare'].map(verb => `story ${verb}`),
);

/** These need workers and runs: see fleet.test.ts. */
const ofFleets = ['fleet show', 'fleet drain', 'worker'];

test('every command answers --json with one document of the published shape, and nothing else on stdout', () => {
  const carrel = createCarrel(tempDir(), { SHELL: '/bin/true' });
  expectAnswers(carrel, makeRepository(), answers);
  const named = new Set([...answers, ...answersOfBatches].map(([command]) => command));
  const others = [
    'schema',
    'image build',
    'completion-names',
    'pool refill',
    'settle',
    'checkpoint',
    ...ofTasks,
    ...ofHooks,
    ...ofServers,
    ...ofFleets,
    // Each has its own test.
    ...derivedCommands.map(({ name }) => name),
  ];
  expect([...new Set([...named, ...others])].sort()).toEqual(commandTable.map(({ name }) => name).sort());
});

thoroughTest('so does every command for batches', () => {
  const directory = tempDir();
  const item = {
    ...{ id: 'one', description: 'Write done.txt', base: { kind: 'files', files: { a: 'x' } } },
    solution: { kind: 'files', files: { 'done.txt': 'yes' } },
    graders: [{ kind: 'command', run: 'test -f done.txt' }],
  };
  writeFiles(directory, { 'set.yaml': stringify({ name: 'small', items: [item] }) });
  expectAnswers(createCarrel(), directory, answersOfBatches);
});

function expectAnswers(carrel: Carrel, cwd: string, expected: readonly Answer[]): void {
  const published = readSchemas(carrel, cwd);
  for (const [command, args, schema] of expected) {
    const { status, stdout, stderr } = carrel.run(cwd, '--json', ...args);
    expect(status, `${command}: ${stderr}`).toBe(0);
    const { error } = z.fromJSONSchema(published(schema)).safeParse(JSON.parse(stdout));
    expect(error?.issues ?? [], command).toEqual([]);
  }
}

test('every published schema can be printed, and says what an answer must have', () => {
  const carrel = createCarrel();
  const directory = tempDir();
  const names = carrel.json<string[]>(directory, 'schema');
  expect(carrel.ok(directory, 'schema').split('\n')).toEqual(names);
  const published = readSchemas(carrel, directory);
  expect(() => z.fromJSONSchema(published('workspace')).parse({ id: 'ws_1' })).toThrow();
  expect(published('workspace').required).toEqual(
    expect.arrayContaining(['id', 'name', 'path', 'isolation']),
  );
  expect(carrel.error(directory, 'schema', 'workspac')).toMatchObject({
    status: 5,
    hint: 'carrel schema workspace',
  });
});

function readSchemas(carrel: Carrel, cwd: string): (name: string) => z.core.JSONSchema.JSONSchema {
  const known = new Map<string, z.core.JSONSchema.JSONSchema>();
  return name => {
    const schema = known.get(name) ?? JSON.parse(carrel.ok(cwd, 'schema', name));
    known.set(name, schema);
    return schema;
  };
}

test('a failure with --json is the error and nothing else, before and after the command is known', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const published = readSchemas(carrel, repository);
  for (const args of [['path', 'nope'], ['nope'], ['up', '--nope'], ['exec', 'nope', '--', 'true']]) {
    const { stdout, stderr } = carrel.run(repository, '--json', ...args);
    expect(z.fromJSONSchema(published('error')).safeParse(JSON.parse(stdout)).error).toBeUndefined();
    expect(stderr).toBe('');
  }
});

test('stdout is the answer and stderr the narration', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  writeFiles(carrel.home, {
    'config/carrel/config.yaml': 'workspace:\n  setup: ["echo noise; echo more >&2"]\n',
  });
  expect(carrel.run(repository, 'ls')).toEqual({
    status: 0,
    signal: null,
    stdout: '',
    stderr: 'there are no workspaces in this repository; create one with: carrel up NAME\n',
  });
  const path = join(carrel.cacheDir, 'worktrees/repo/a');
  expect(carrel.run(repository, 'up', 'a')).toMatchObject({
    stdout: `${path}\n`,
    stderr: 'setup: echo noise; echo more >&2\n',
  });
  expect(carrel.run(repository, 'path', 'a')).toMatchObject({ stdout: `${path}\n`, stderr: '' });
  writeFiles(path, { 'new.txt': 'x\n' });
  expect(carrel.run(repository, 'snapshot', 'a')).toMatchObject({
    stdout: expect.stringMatching(/^snap_\w{16}\n$/),
    stderr: '',
  });
  const landed = carrel.run(repository, 'land', 'a', '-m', 'land it', '--keep');
  expect(landed).toMatchObject({
    stdout: expect.stringMatching(/^[0-9a-f]{40}\n$/),
    stderr: expect.stringMatching(
      /\nlanded 1 commit of a on main \(fast-forward\); the workspace was kept\n$/,
    ),
  });
  expect(carrel.run(repository, 'down', 'a')).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(/^removed a; restore it with: carrel restore snap_\w{16}\n$/),
  });
});

test('each exit status has its meaning', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'x\n' });
  const status = (...args: string[]) => fixture.run(...args).status;
  expect(status('ls')).toBe(0);
  expect(status('open', 'a', '--with', 'false')).toBe(1);
  expect(status('up', '../x')).toBe(2);
  expect(status('down', 'a')).toBe(3);
  expect(status('exec', 'a', '--', 'no-such-program-anywhere')).toBe(4);
  expect(status('path', 'nope')).toBe(5);
});

test('an interrupted command exits with 130, and undoes what it had started', async () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'workspace:\n  setup: ["sleep 60"]\n' });
  const call = carrel.start(repository, 'up', 'a');
  await narrated(call.child, 'setup: sleep 60');
  call.child.kill('SIGINT');
  const { status, stdout, stderr } = await call;
  expect({ status, stdout }).toEqual({ status: 130, stdout: '' });
  expect(stderr).toContain('carrel: interrupted by SIGINT');
  expect(carrel.json(repository, 'ls')).toEqual([]);
  const again = carrel.start(repository, 'up', 'a');
  await narrated(again.child, 'setup: sleep 60');
  again.child.kill('SIGTERM');
  expect(await again).toMatchObject({ status: 143 });
});

function narrated(child: ReturnType<Carrel['start']>['child'], text: string): Promise<void> {
  let heard = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', chunk => {
      heard += chunk;
      if (heard.includes(text)) resolve();
    });
    child.once('close', () => reject(new Error(`it ended and said only: ${heard}`)));
  });
}

test('a workspace is found by its name, its id or a unique prefix of its id', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const first = carrel.json<{ id: string; path: string }>(repository, 'up', 'first');
  const second = carrel.json<{ id: string; path: string }>(repository, 'up', 'second');
  expect(carrel.ok(repository, 'path', 'first')).toBe(first.path);
  expect(carrel.ok(repository, 'path', first.id)).toBe(first.path);
  expect(carrel.ok(repository, 'path', first.id.slice(0, -1))).toBe(first.path);
  const common = commonBeginning(first.id, second.id);
  expect(carrel.error(repository, 'path', common)).toMatchObject({
    status: 2,
    code: 'WORKSPACE_AMBIGUOUS',
    message: `"${common}" matches several workspaces: first (${first.id}), second (${second.id})`,
  });
  expect(carrel.error(repository, 'path', 'secnd')).toMatchObject({
    status: 5,
    message: 'there is no workspace "secnd"; known: first, second',
    hint: 'did you mean second?',
  });
});

function commonBeginning(a: string, b: string): string {
  let length = 0;
  while (a[length] === b[length]) length++;
  return a.slice(0, length);
}

test('a name that two repositories have means the one around, and is ambiguous outside of both', () => {
  const carrel = createCarrel();
  const [one, two] = [makeRepository(), makeRepository()];
  const [first, second] = [carrel.ok(one, 'up', 'a'), carrel.ok(two, 'up', 'a')];
  expect(first).not.toBe(second);
  expect(carrel.ok(one, 'path', 'a')).toBe(first);
  expect(carrel.ok(two, 'path', 'a')).toBe(second);
  expect(carrel.error(tempDir(), 'path', 'a')).toMatchObject({ status: 2, code: 'WORKSPACE_AMBIGUOUS' });
});

test('the repository is chosen with -R, before the command or after it, from anywhere', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const elsewhere = tempDir();
  const path = carrel.ok(elsewhere, 'up', 'a', '-R', repository);
  expect(carrel.ok(elsewhere, '-R', repository, 'path', 'a')).toBe(path);
  expect(carrel.ok(elsewhere, '--repository', repository, '--json', 'ls')).toContain('"name": "a"');
  expect(carrel.ok(elsewhere, 'path', 'a', `--repository=${repository}`)).toBe(path);
  expect(carrel.ok(join(repository, '..'), 'path', 'a', '-R', 'repo')).toBe(path);
});

test('a directory that the user named never means all repositories', () => {
  const carrel = createCarrel();
  const elsewhere = tempDir();
  carrel.ok(makeRepository(), 'up', 'a');
  expect(carrel.error(elsewhere, 'gc', '--yes', '--older-than', '0s', '-R', 'typo')).toMatchObject({
    status: 5,
    code: 'NO_SUCH_DIRECTORY',
  });
  expect(carrel.error(elsewhere, 'ls', '-R', '..')).toMatchObject({ status: 2, code: 'NOT_A_REPOSITORY' });
  expect(carrel.json(elsewhere, 'ls')).toMatchObject([{ name: 'a' }]);
});

test('every command works from a subdirectory, and from inside a workspace where that makes sense', () => {
  const carrel = createCarrel();
  const repository = makeRepository({ 'deep/er/file.txt': 'x\n' });
  const deep = join(repository, 'deep/er');
  const path = carrel.ok(deep, 'up', 'a');
  expect(carrel.json(deep, 'ls')).toMatchObject([{ name: 'a', repository }]);
  const inside = join(path, 'deep');
  commitFiles(path, { 'new.txt': 'x\n' });
  expect(carrel.json(inside, 'ls')).toMatchObject([{ name: 'a', ahead: 1 }]);
  expect(carrel.ok(inside, 'diff', 'a', '--name-only')).toBe('new.txt');
  expect(carrel.ok(inside, 'snapshot', 'a')).toMatch(/^snap_/);
  expect(carrel.ok(inside, 'land', 'a', '--keep')).toMatch(/^[0-9a-f]{40}$/);
  expect(carrel.error(inside, 'down', 'a')).toMatchObject({ code: 'REMOVAL_REFUSED', status: 3 });
  expect(carrel.run(deep, 'down', 'a').status).toBe(0);
});

test('durations are accepted as written, and an invalid one is reported with what was expected', () => {
  const fixture = makeFixture();
  expect(fixture.run('gc', '--older-than', '90s', '--json').stdout).toContain('"olderThanMs": 90000');
  expect(fixture.run('worktrees', 'cleanup', '--json').stdout).toContain('"olderThanMs": 604800000');
  for (const bad of ['5', 'soon', '-1d', '1y', '']) {
    expect(fixture.carrel.error(fixture.repository, 'gc', '--older-than', bad), bad).toMatchObject({
      status: 2,
      code: 'INVALID_DURATION',
      message: `--older-than: ${JSON.stringify(bad)} is not a duration; expected a number and a unit such as 90s, 15m, 12h or 7d`,
    });
  }
});

test('an unknown command or option is answered with the nearest one', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const hintOf = (...args: string[]) => {
    const { status, hint } = carrel.error(repository, ...args);
    expect(status).toBe(2);
    return hint;
  };
  expect(hintOf('dwon', 'a')).toBe('did you mean: carrel down');
  expect(hintOf('worktrees', 'lst')).toBe('did you mean: carrel worktrees list');
  expect(hintOf('zzzzzz')).toBe('list the commands with: carrel --help');
  expect(hintOf('up', '--isolaton', 'full')).toBe('did you mean --isolation?');
  expect(hintOf('up', '--isolation', 'none')).toBe(
    'the nearest is shared: your checkout itself; commands run as you',
  );
  expect(hintOf('down')).toBe('see: carrel down --help');
  expect(hintOf('diff', 'a', '--stat', '--name-only')).toBe('keep one and leave out the others');
});

test('requested help goes to stdout; an incomplete call gets it on stderr', () => {
  const carrel = createCarrel();
  const directory = tempDir();
  expect(carrel.run(directory, '--help')).toMatchObject({ status: 0, stderr: '' });
  expect(carrel.run(directory)).toMatchObject({ status: 2, stdout: '' });
  expect(carrel.run(directory, 'worktrees')).toMatchObject({ status: 2, stdout: '' });
  const help = carrel.ok(directory, 'up', '--help');
  expect(help).toContain('--base <ref>');
  expect(carrel.ok(directory, 'help', 'up')).toBe(help);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(carrel.ok(directory, '--version')).toBe(version);
});

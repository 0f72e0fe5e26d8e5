import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { z } from 'zod';
import type { Task } from '../../../src/domain/task/task.js';
import { identifyProcess, isAlive } from '../../../src/exec/process/identify-process.js';
import { BINARY, type Outcome } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { onlyPrograms } from '../../helpers/network/only-programs.js';
import { git } from '../../helpers/repository.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requirePart } from '../../parts/required-part.js';

// The command line of tasks, with shell scripts as agents.

const AGENTS = {
  planner: 'cat > /dev/null; echo "a plan" > "$CARREL_OUTPUT_DIR/plan.md"; echo planned',
  writer: 'cat > /dev/null; echo "writing \\033[31mred\\033[0m"; cp "$CARREL_INPUT_DIR"/plan* new.txt',
  failing: 'cat > /dev/null; echo "it is broken" >&2; exit 3',
  sleeping: 'cat > /dev/null; echo $$ > "$TALLY"; sleep 600',
};

const STAGES = [
  { name: 'planning', agent: 'planner', outputs: ['plan'] },
  { name: 'writing', agent: 'writer', inputs: ['plan'] },
];

const makeTasks = (options: Partial<Parameters<typeof makeScriptedTasks>[0]> = {}) =>
  makeScriptedTasks({ agents: AGENTS, stages: STAGES, workflow: { isolation: 'worktree' }, ...options });

const run = ({ carrel, repository }: ScriptedTasks, ...args: string[]): Outcome =>
  carrel.run(repository, ...args);

/** What differs from call to call, put in words. */
function normalise(text: string, { carrel, repository }: ScriptedTasks, task?: Task): string {
  const name = task?.workspaceName ?? 'no such text';
  return text
    .replaceAll(name, 'NAME')
    .replaceAll(carrel.home, 'HOME')
    .replaceAll(repository, 'REPOSITORY')
    .replaceAll(/task_\w{16}/g, 'task_ID')
    .replaceAll(/\b[0-9a-f]{40}\b|\b[0-9a-f]{12}\b/g, 'COMMIT')
    .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
    .replaceAll(/\b(\d+m )?\d+s\b/g, 'Ns')
    .replaceAll(/just now|Ns ago/g, 'AGO')
    .replaceAll(/(?<=\S) {2,}/g, '  ');
}

const onlyTask = ({ carrel, repository }: ScriptedTasks): Task =>
  carrel.json<Task[]>(repository, 'task', 'ls')[0] as Task;

test('run prints its progress in a pipe and then the result; ls, show and logs have it afterwards', () => {
  const tasks = makeTasks();
  const { status, stdout, stderr } = run(tasks, 'run', 'write it down');
  const task = onlyTask(tasks);
  expect(status).toBe(0);
  expect(normalise(stdout, tasks, task)).toMatchInlineSnapshot(`
    "✓ task_ID succeeded after Ns
      branch  carrel/NAME at COMMIT

    Next:
      git diff COMMIT...carrel/NAME  see what changed
      carrel land task_ID  land it on the branch it started from
      carrel task publish task_ID --pull-request  or open a pull request
    "
  `);
  expect(normalise(stderr, tasks, task)).toMatchInlineSnapshot(`
    "task_ID: work, isolation worktree
    TIME task  Created worktree workspace at HOME/cache/worktrees/repo/NAME
    TIME planning  started (planner)
    TIME planning  succeeded without a change
    TIME writing  started (writer)
    TIME writing  succeeded
    "
  `);
  const page = (...args: string[]) => normalise(run(tasks, 'task', ...args).stdout, tasks, task);
  expect(page('ls')).toMatchInlineSnapshot(`
    "ID  STATUS  WORKFLOW  STAGE  CREATED  COST  DESCRIPTION
    task_ID  succeeded  work  2/2  AGO  -  write it down
    "
  `);
  expect(page('show', task.id)).toMatchInlineSnapshot(`
    "id  task_ID
    status  succeeded
    workflow  work
    isolation  worktree
    repository  REPOSITORY
    base  COMMIT
    branch  carrel/NAME at COMMIT
    created  AGO
    ended  AGO

    Description:
      write it down

    Stages:
      ✓ planning  planner  succeeded  Ns  no change
          planned
      ✓ writing  writer  succeeded  Ns
          writing red

    Outputs:
      plan  7 B  HOME/state/tasks/task_ID/outputs/planning/plan.md

    Next:
      git diff COMMIT...carrel/NAME  see what changed
      carrel land task_ID  land it on the branch it started from
      carrel task publish task_ID --pull-request  or open a pull request
    "
  `);
  expect(page('logs', task.id)).toMatchInlineSnapshot(`
    "TIME task  Created worktree workspace at HOME/cache/worktrees/repo/NAME
    TIME planning  started (planner)
    TIME planning  | planned
    TIME planning  succeeded without a change
    TIME writing  started (writer)
    TIME writing  | writing red
    TIME writing  succeeded
    "
  `);
  const lines = run(tasks, 'task', 'logs', task.id, '--stage', 'writing', '--json').stdout.trim().split('\n');
  expect(lines.map(line => JSON.parse(line).stage)).toEqual(lines.map(() => 'writing'));
});

test('run --json prints the task in its published format, even when it failed, and then exits with 1', () => {
  const tasks = makeTasks({ stages: [{ name: 'writing', agent: 'failing' }] });
  const { carrel, repository } = tasks;
  const schema = (name: string) => z.fromJSONSchema(JSON.parse(carrel.ok(repository, 'schema', name)));
  const { status, stdout } = run(tasks, 'run', 'break it', '--json');
  const task = schema('task').parse(JSON.parse(stdout)) as Task;
  expect({ status, task: task.status, kind: task.failure?.kind }).toEqual({
    status: 1,
    task: 'failed',
    kind: 'agent-failed',
  });
  expect(existsSync(task.worktreePath as string)).toBe(true);
  expect(schema('tasks').parse(carrel.json(repository, 'task', 'ls', '--status', 'failed'))).toHaveLength(1);
  expect(run(tasks, 'task', 'ls', '--status', 'running')).toMatchObject({ status: 0, stdout: '' });
  const again = run(tasks, 'task', 'retry', task.id, '--verbose');
  expect(again.status).toBe(1);
  expect(normalise(again.stdout, tasks, task)).toMatchInlineSnapshot(`
    "✗ task_ID failed after Ns
      branch  carrel/NAME
      workspace  HOME/cache/worktrees/repo/NAME

    Failure:
      the agent failing exited with status 3; expected 0
        | it is broken
      hint: read its log with: carrel task logs task_ID

    Next:
      carrel task logs task_ID  read its log
      carrel diff NAME  see what changed
      carrel task retry task_ID  resume after the last successful stage
    "
  `);
  expect(again.stderr).toContain('| it is broken\n');
});

test('an invalid call is refused before anything is created', () => {
  const tasks = makeTasks();
  const { carrel, repository } = tasks;
  const problem = (...args: string[]) => {
    const { status, code, message, hint } = carrel.error(repository, ...args);
    return [status, code, message, hint].join(' | ');
  };
  expect([
    problem('run', 'x', '--workflow', 'wrok'),
    problem('run', 'x', '--agent', 'codx'),
    problem('run', ' '),
    problem('task', 'show', 'task_nope'),
  ]).toMatchInlineSnapshot(`
    [
      "2 | UNKNOWN_WORKFLOW | there is no workflow "wrok"; known: bugfix, feature, quick, refactor, work | did you mean work?",
      "2 | UNKNOWN_AGENT | --agent names the unknown agent "codx"; known: aider, amp, claude, codex, copilot, developer, failing, gemini, opencode, planner, qwen, reviewer, sleeping, tester, writer | did you mean codex?",
      "2 | INVALID_INPUT | the description is empty; expected a description of at most 262144 bytes | see \`carrel --help\` or \`carrel COMMAND --help\`",
      "5 | TASK_NOT_FOUND | there is no task "task_nope"; there are none yet | list them with: carrel task ls --all",
    ]
  `);
  expect(carrel.json(repository, 'task', 'ls')).toEqual([]);
});

thoroughTest(
  'a description is read from standard input, and the work is landed by the id of the task',
  () => {
    const tasks = makeTasks();
    const { carrel, repository } = tasks;
    const { stdout, status } = spawnSync(process.execPath, [BINARY, 'run', '-', '--json'], {
      cwd: repository,
      env: carrel.env,
      input: 'from a pipe\nwith two lines\n',
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    const task = JSON.parse(stdout) as Task;
    expect(task.description).toBe('from a pipe\nwith two lines');
    const landing = carrel.json(repository, 'land', task.id);
    expect(landing).toMatchObject({ into: 'main' });
    expect(git(repository, 'show', 'main:new.txt')).toBe('a plan');
    expect(carrel.json(repository, 'task', 'show', task.id)).toMatchObject({ landed: { into: 'main' } });
  },
);

test('Ctrl-C cancels the task, kills its processes, keeps the workspace and prints how to resume', async () => {
  const tasks = makeTasks({ stages: [{ name: 'waiting', agent: 'sleeping' }] });
  const { carrel, repository } = tasks;
  const call = carrel.start(repository, 'run', 'take long');
  const agent = identifyProcess(Number(await waitFor('the agent', () => tasks.tally()[0])));
  call.child.kill('SIGINT');
  const { status, stdout } = await call;
  expect(status).toBe(130);
  expect(agent && isAlive(agent)).toBe('dead');
  const task = onlyTask(tasks);
  expect(task).toMatchObject({ status: 'cancelled', workspaceKept: true });
  expect(stdout).toContain(`carrel task retry ${task.id}`);
});

test('a detached task continues without its caller and can be followed by its log', async () => {
  const tasks = makeTasks();
  const { carrel, repository } = tasks;
  const id = carrel.ok(repository, 'run', 'in the background', '--detach');
  expect(id).toMatch(/^task_\w{16}$/);
  expect(carrel.ok(repository, 'task', 'logs', id, '--follow')).toContain('writing red');
  await waitFor('its end', () => tasks.show(id).status === 'succeeded' || undefined);
});

thoroughTest('a task is cancelled from elsewhere', async () => {
  const tasks = makeTasks({ stages: [{ name: 'waiting', agent: 'sleeping' }] });
  const { carrel, repository } = tasks;
  const { id } = carrel.json<Task>(repository, 'run', 'for ever', '--detach');
  const agent = identifyProcess(Number(await waitFor('the agent', () => tasks.tally()[0])));
  expect(carrel.json(repository, 'task', 'cancel', id)).toMatchObject({ status: 'cancelled' });
  expect(agent && isAlive(agent)).toBe('dead');
  expect(carrel.error(repository, 'task', 'cancel', id)).toMatchObject({ status: 3, code: 'TASK_BUSY' });
});

thoroughTest(
  'less isolation than requested is reported, with the reason, on stderr and in the result',
  () => {
    const tasks = makeTasks();
    const programs = onlyPrograms(['git', 'sh', 'cat', 'cp']);
    const environment = { ...programs?.environment };
    const { carrel, repository } = tasks;
    const userFile = join(carrel.home, 'config/carrel/config.yaml');
    const settings = readFileSync(userFile, 'utf8');
    writeFileSync(userFile, `${settings}isolation: { onUnavailable: degrade }\n`);
    const call = carrel.runWith(environment, repository, 'run', 'x', '--isolation', 'full');
    expect(call.status).toBe(0);
    expect(call.stdout).toMatch(/\n {2}isolation {2}full→worktree\n/);
    expect(call.stderr.match(/^warning: .*full.*$/gm)).toHaveLength(1);
    expect(call.stderr).toContain('Created worktree workspace at ');
    writeFileSync(userFile, settings);
    const chosen = ['run', 'x', '--isolation', 'full', '--json'];
    const refused = carrel.runWith(environment, repository, ...chosen);
    expect(refused.status).toBe(4);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'ISOLATION_UNAVAILABLE' } });
  },
);

thoroughTest('on a terminal the stages are drawn, and the cursor is restored', context => {
  const tasks = makeTasks();
  const { shown, status } = onTerminal(context, tasks, 'run', 'write it down');
  expect(status).toBe(0);
  expect(shown).toContain('\u001b[?25l');
  expect(shown.lastIndexOf('\u001b[?25h')).toBeGreaterThan(shown.lastIndexOf('\u001b[?25l'));
  expect(shown).toMatch(/✓[^\n]* planning [^\n]*planner[^\n]*\n[^\n]*✓[^\n]* writing [^\n]*writer/);
  expect(shown).toMatch(/✓.* task_\w{16} succeeded after/);
});

/** Runs it on a pseudo-terminal of 100 columns; what was written to it. */
function onTerminal(context: TestContext, { carrel, repository }: ScriptedTasks, ...args: string[]) {
  const words = [process.execPath, BINARY, ...args].map(word => `'${word}'`).join(' ');
  const line = `stty cols 100 rows 30; ${words}`;
  const call = spawnSync('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: repository,
    env: { ...carrel.env, TERM: 'xterm' },
    encoding: 'utf8',
  });
  requirePart(context, call.error === undefined, 'script(1)');
  return { status: call.status, shown: call.stdout };
}

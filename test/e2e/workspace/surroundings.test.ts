import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Task } from '../../../src/domain/task/task.js';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// What runs in a workspace finds itself there, and the user's checkout stays as the user has it.

const CALLER = {
  OLDPWD: '/elsewhere',
  INIT_CWD: '/elsewhere',
  npm_package_json: '/elsewhere/package.json',
  VSCODE_IPC_HOOK_CLI: '/run/vscode.sock',
  TMUX: '/tmp/tmux,1,0',
  GIT_DIR: '/elsewhere/.git',
};
const SHOWN = `for name in ${['PWD', ...Object.keys(CALLER)].join(' ')}; do printenv $name; done; true`;

test('a command, a setup and an agent find the workspace in PWD and nothing about the directory of the caller', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const agents = { shown: { command: ['sh', '-c', `(${SHOWN}) > seen-agent.txt`] } };
  const config = { agents, workspace: { setup: [`(${SHOWN}) > seen-setup.txt`] } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
  const caller = { ...CALLER, PWD: repository };
  const { stdout: path } = carrel.runWith(caller, repository, 'up', 'w1', '--isolation', 'worktree');
  const seen = carrel.runWith(caller, repository, 'exec', 'w1', '--', 'sh', '-c', SHOWN).stdout;
  expect(seen).toBe(path);
  expect(readFileSync(join(path.trim(), 'seen-setup.txt'), 'utf8')).toBe(path);
  const words = ['--workflow', 'quick', '--agent', 'shown', '--isolation', 'worktree', '--keep', '--json'];
  const { stdout } = carrel.runWith(caller, repository, 'run', 'show it', ...words);
  const { worktreePath } = JSON.parse(stdout) as Task;
  expect(readFileSync(join(worktreePath as string, 'seen-agent.txt'), 'utf8')).toBe(`${worktreePath}\n`);
});

test('in a sandbox PWD is the workspace, even if the user passes PWD', context => {
  requireBubblewrap(context);
  const carrel = createCarrel();
  const repository = makeRepository();
  const config = { sandbox: { runtime: 'bubblewrap', passEnvironment: ['PWD', 'INIT_CWD'] } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
  const path = carrel.ok(repository, 'up', 'w1', '--isolation', 'full', '--strict');
  const caller = { ...CALLER, PWD: repository };
  expect(carrel.runWith(caller, repository, 'exec', 'w1', '--', 'printenv', 'PWD').stdout).toBe(`${path}\n`);
});

/** A task of one agent that is text for the shell. */
function prepareTask(script: string) {
  const carrel = createCarrel();
  const repository = makeRepository({ 'one.txt': 'one\n' });
  writeFiles(carrel.home, {
    'config/carrel/config.yaml': stringify({ agents: { own: { command: ['sh', '-c', script] } } }),
  });
  const words = ['--workflow', 'quick', '--agent', 'own', '--isolation', 'worktree'];
  return { carrel, repository, words };
}

function runTask(script: string) {
  const { carrel, repository, words } = prepareTask(script);
  const { status, stdout, stderr } = carrel.run(repository, 'run', 'do it', ...words, '--json');
  return { status, stderr, repository, task: JSON.parse(stdout) as Task };
}

test("an agent that commits in the user's checkout fails its task, which says what it did", () => {
  const commit = 'cd "$CARREL_REPOSITORY" && echo evil >> one.txt && git commit --quiet --all --message evil';
  const { status, task, repository } = runTask(commit);
  expect([status, task.status]).toEqual([1, 'failed']);
  expect(task.failure).toMatchObject({ kind: 'checkout-changed', stage: 'change' });
  expect(task.failure?.message).toContain(`the agent changed your checkout ${repository}: HEAD moved from`);
  expect(task.failure?.message).toContain('it ran: git commit --quiet --all');
  expect(task.stages[0]?.attempts).toBe(1);
});

test("an agent that prints which file of the user's checkout it writes fails its task", () => {
  const { task } = runTask(
    'echo "{\\"tool\\":\\"write\\",\\"path\\":\\"$CARREL_REPOSITORY/one.txt\\"}"; echo evil > "$CARREL_REPOSITORY/one.txt"',
  );
  expect(task.failure).toMatchObject({ kind: 'checkout-changed' });
  expect(task.failure?.message).toMatch(/: one\.txt \(it printed that it works on .*one\.txt\)/);
});

test('an agent that moves a branch of the user fails its task', () => {
  const { carrel, repository, words } = prepareTask('git update-ref refs/heads/release HEAD~1');
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', 'next');
  git(repository, 'branch', 'release');
  const { stdout } = carrel.run(repository, 'run', 'do it', ...words, '--json');
  expect((JSON.parse(stdout) as Task).failure).toMatchObject({ kind: 'checkout-changed' });
});

thoroughTest('a write without a trace of its author is reported as a warning', () => {
  const { task, repository } = runTask('echo evil > "$CARREL_REPOSITORY/new.txt"; echo good > good.txt');
  expect(task.status).toBe('succeeded');
  expect(task.stages[0]?.warnings).toEqual([
    `${repository} changed while the agent worked (new.txt); there is no evidence that the agent did it; check it if you did not make this change`,
  ]);
});

thoroughTest(
  'what the user edits and commits meanwhile fails no task, although the agent looks at the checkout',
  async () => {
    const look = 'git -C "$CARREL_REPOSITORY" status; echo "$CARREL_REPOSITORY/other.txt"; touch ready';
    const wait = 'while [ ! -e "$CARREL_REPOSITORY/go" ]; do sleep 0.05; done; echo good > good.txt';
    const { carrel, repository, words } = prepareTask(`${look}; ${wait}`);
    const running = carrel.start(repository, 'run', 'do it', ...words, '--json');
    const pathOf = () => carrel.json<Task[]>(repository, 'task', 'ls', '--all')[0]?.worktreePath;
    await waitFor('the agent', () => existsSync(join(pathOf() ?? '/nonexistent', 'ready')) || undefined);
    writeFileSync(join(repository, 'one.txt'), 'mine\n');
    git(repository, 'commit', '--quiet', '--all', '--message', 'mine');
    writeFileSync(join(repository, 'go'), '');
    const { status, stdout } = await running;
    expect([status, (JSON.parse(stdout) as Task).status]).toEqual([0, 'succeeded']);
  },
);

thoroughTest(
  'a task that changes nothing outside of its workspace leaves the checkout as it is and has no warning',
  () => {
    const { carrel, repository, words } = prepareTask('echo good > good.txt; git branch helper');
    const before = fingerprint(repository);
    const { stages } = carrel.json<Task>(repository, 'run', 'do it', ...words);
    expect(stages[0]?.warnings).toEqual([]);
    git(repository, 'branch', '--quiet', '--delete', '--force', 'helper');
    expect(fingerprint(repository)).toEqual(before);
  },
);

thoroughTest('work that lands from another workspace meanwhile causes no warning', async () => {
  const wait = 'touch ready; while [ ! -e ../go ]; do sleep 0.05; done; echo good > good.txt';
  const { carrel, repository, words } = prepareTask(wait);
  const other = carrel.ok(repository, 'up', 'other', '--isolation', 'worktree');
  writeFileSync(join(other, 'two.txt'), 'two\n');
  const running = carrel.start(repository, 'run', 'do it', ...words, '--json');
  const pathOf = () => carrel.json<Task[]>(repository, 'task', 'ls', '--all')[0]?.worktreePath;
  const ready = () => existsSync(join(pathOf() ?? '/nonexistent', 'ready')) || undefined;
  await waitFor('the agent', ready);
  carrel.ok(repository, 'land', 'other', '--message', 'two');
  writeFileSync(join(pathOf() as string, '../go'), '');
  expect((JSON.parse((await running).stdout) as Task).stages[0]?.warnings).toEqual([]);
});

test('run with --into and without --land is refused before anything is done', () => {
  const { carrel, repository, words } = prepareTask('echo good > good.txt');
  expect(carrel.error(repository, 'run', 'do it', ...words, '--into', 'main')).toMatchObject({
    status: 2,
    code: 'INVALID_INPUT',
    message: '--into is given without --land; expected --land --into main',
  });
  expect(carrel.json(repository, 'task', 'ls', '--all')).toEqual([]);
});

test('a task in a shared checkout says whether it changed something there', () => {
  const { carrel, repository } = prepareTask(
    'case "$(cat "$CARREL_PROMPT_FILE")" in *write*) echo new > new.txt ;; esac',
  );
  const words = ['--workflow', 'quick', '--agent', 'own', '--isolation', 'shared'];
  const run = (what: string) => carrel.json<Task>(repository, 'run', what, ...words).stages[0]?.changed;
  expect(run('look around')).toBe(false);
  expect(run('please write a file')).toBe(true);
});

thoroughTest(
  'what the setup leaves is not committed as the work of the agent, unless the agent changes it',
  () => {
    const { carrel, repository } = prepareTask('echo more >> changed.txt; echo good > good.txt');
    const config = {
      agents: { own: { command: ['sh', '-c', 'echo more >> changed.txt; echo good > good.txt'] } },
      workspace: { setup: ['echo made > generated.txt; echo made > changed.txt'] },
    };
    writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
    const words = ['--workflow', 'quick', '--agent', 'own', '--isolation', 'worktree', '--land'];
    const task = carrel.json<Task>(repository, 'run', 'do it', ...words);
    expect([task.status, task.warnings, task.stages[0]?.warnings]).toEqual(['succeeded', [], []]);
    const landed = git(repository, 'diff', '--name-only', 'HEAD~1', 'HEAD').split('\n');
    expect(landed).toEqual(['changed.txt', 'good.txt']);
    expect(carrel.json(repository, 'ls')).toEqual([]);
  },
);

thoroughTest('in a sandbox, too', context => {
  requireBubblewrap(context);
  const { carrel, repository } = prepareTask('true');
  const config = {
    agents: { own: { command: ['sh', '-c', 'echo more >> changed.txt; echo good > good.txt'] } },
    workspace: { setup: ['echo made > generated.txt; echo made > changed.txt'] },
    sandbox: { runtime: 'bubblewrap' },
  };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
  const words = ['--workflow', 'quick', '--agent', 'own', '--isolation', 'full', '--strict', '--land'];
  const task = carrel.json<Task>(repository, 'run', 'do it', ...words);
  expect(task.status).toBe('succeeded');
  const landed = git(repository, 'diff', '--name-only', 'HEAD~1', 'HEAD').split('\n');
  expect(landed).toEqual(['changed.txt', 'good.txt']);
});

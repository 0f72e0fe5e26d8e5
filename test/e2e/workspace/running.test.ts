import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { tempDir } from '../../helpers/temp.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';
import { needProgram } from '../../parts/required-part.js';

// Commands, shells and editors in a workspace.

test('the exit status of exec is the command’s, even if a signal killed it', () => {
  const fixture = makeFixture();
  const status = (script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script).status;
  expect(status('exit 0')).toBe(0);
  expect(status('exit 7')).toBe(7);
  expect(status('kill -9 $$')).toBe(137);
  expect(status('kill -15 $$')).toBe(143);
  const outcome = fixture.run('exec', 'a', '--json', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3');
  expect(outcome.status).toBe(3);
  expect(JSON.parse(outcome.stdout)).toMatchObject({
    exitCode: 3,
    stdout: 'out\n',
    stderr: 'err\n',
    timedOut: false,
  });
});

test('words after the workspace belong to the command, with and without --', () => {
  const fixture = makeFixture();
  const words = ['--json', '-R', 'x', '', 'a b', '--', '*', '$HOME', '-h'];
  expect(fixture.ok('exec', 'a', '--', 'printf', '[%s]', ...words)).toBe(
    words.map(word => `[${word}]`).join(''),
  );
  expect(fixture.ok('exec', 'a', 'printf', '[%s]', '--json', '--help')).toBe('[--json][--help]');
  expect(fixture.run('exec', 'a').stderr).toContain("missing required argument 'command'");
});

test('a command runs in the workspace, with its input, its ports and its names', () => {
  const fixture = makeFixture();
  const { ports } = fixture.carrel.json<{ ports: number[] }>(fixture.repository, 'show', 'a');
  const script = 'pwd; cat; env | sort';
  const { stdout } = spawnSync(process.execPath, [BINARY, 'exec', 'a', '--', 'sh', '-c', script], {
    cwd: fixture.repository,
    env: { ...fixture.carrel.env, GIT_DIR: '/elsewhere', GIT_INDEX_FILE: '/elsewhere/index' },
    input: 'input\n',
    encoding: 'utf8',
  });
  const [directory, input, ...all] = stdout.trimEnd().split('\n');
  const variables = all.filter(line => /^(CARREL_|COMPOSE_)/.test(line) && !line.includes('_DIR='));
  expect([directory, input]).toEqual([fixture.path, 'input']);
  const [first] = ports;
  expect(Object.fromEntries(variables.map(line => line.split('=')))).toEqual({
    // The caller's; a Carrel in the command does as the one around it.
    CARREL_CHECKPOINTS: 'off',
    CARREL_WORKSPACE: 'a',
    CARREL_WORKSPACE_ID: fixture.id,
    CARREL_WORKSPACE_PATH: fixture.path,
    CARREL_REPOSITORY: fixture.repository,
    CARREL_BRANCH: 'carrel/a',
    CARREL_BASE_COMMIT: fixture.git('rev-parse', 'HEAD'),
    CARREL_COMMAND_ID: expect.stringMatching(/^op_/),
    CARREL_PORT: `${first}`,
    CARREL_PORTS: `${first}-${ports.at(-1)}`,
    ...Object.fromEntries(ports.map((port, index) => [`CARREL_PORT_${index}`, `${port}`])),
    COMPOSE_PROJECT_NAME: `carrel-a-${fixture.id.slice(-6)}`,
  });
});

test('git in a command is the git of the workspace, whatever the caller’s environment says', () => {
  const fixture = makeFixture();
  const { stdout } = fixture.carrel.runWith(
    { GIT_DIR: join(fixture.repository, '.git'), GIT_WORK_TREE: fixture.repository },
    fixture.repository,
    ...['exec', 'a', '--', 'git', 'rev-parse', '--show-toplevel', '--abbrev-ref', 'HEAD'],
  );
  expect(stdout).toBe(`${fixture.path}\ncarrel/a\n`);
});

thoroughTest('at its time limit a command is killed with everything that it started', () => {
  needProgram('setsid');
  const fixture = makeFixture();
  const pids = join(tempDir(), 'pids');
  const script = `sleep 61 & echo $! >> ${pids}; (setsid sleep 62 & echo $! >> ${pids}); wait`;
  const outcome = fixture.run('exec', 'a', '--timeout', '500ms', '--', 'sh', '-c', script);
  expect(outcome).toMatchObject({ status: 1, stdout: '' });
  expect(outcome.stderr).toContain(
    'was killed after its time limit of 500ms\nhint: give it more time with --timeout',
  );
  const left = readFileSync(pids, 'utf8').trim().split('\n').filter(isAlive);
  expect(left).toEqual([]);
  const limited = fixture.run(
    'exec',
    'a',
    '--timeout',
    '500ms',
    '--json',
    '--',
    'sh',
    '-c',
    'echo begun; sleep 60',
  );
  expect(JSON.parse(limited.stdout).error).toMatchObject({
    code: 'COMMAND_TIMED_OUT',
    details: { limitMs: 500, stdout: 'begun\n' },
  });
});

function isAlive(pid: string): boolean {
  return (
    spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim().replace(/^Z.*/, '') !== ''
  );
}

test('a program that cannot be started is named', () => {
  const fixture = makeFixture();
  expect(
    fixture.carrel.error(fixture.repository, 'exec', 'a', '--json', '--', 'no-such-program'),
  ).toMatchObject({
    status: 4,
    code: 'PROGRAM_MISSING',
    message: 'cannot start no-such-program in a: it was not found',
  });
  writeFileSync(join(fixture.path, 'plain.txt'), 'no program\n');
  expect(fixture.carrel.error(fixture.repository, 'exec', 'a', '--json', '--', './plain.txt')).toMatchObject({
    message: 'cannot start ./plain.txt in a: it may not be executed',
  });
});

test('shell starts the user’s shell in the workspace and ends as it does', () => {
  const fixture = makeFixture();
  const call = (env: Record<string, string>, input: string) =>
    spawnSync(process.execPath, [BINARY, 'shell', 'a'], {
      cwd: fixture.repository,
      env: { ...fixture.carrel.env, ...env },
      input,
      encoding: 'utf8',
    });
  expect(call({ SHELL: '/bin/sh' }, 'pwd; echo $CARREL_WORKSPACE; exit 9\n')).toMatchObject({
    status: 9,
    stdout: `${fixture.path}\na\n`,
  });
  expect(call({}, 'exit 4\n').status).toBe(4);
});

test('open takes --with, then the configured editor, then VISUAL, then EDITOR; empty ones do not count', () => {
  const fixture = makeFixture();
  const open = (env: Record<string, string>, ...args: string[]) =>
    fixture.carrel.runWith(env, fixture.repository, 'open', 'a', ...args).stdout;
  expect(open({ VISUAL: 'echo visual', EDITOR: 'echo editor' })).toBe(`visual ${fixture.path}\n`);
  expect(open({ VISUAL: '', EDITOR: 'echo editor -w' })).toBe(`editor -w ${fixture.path}\n`);
  expect(open({ EDITOR: 'echo editor' }, '--with', 'echo with')).toBe(`with ${fixture.path}\n`);
  const configured = makeFixture({ config: 'workspace:\n  editor: echo configured\n' });
  expect(configured.ok('open', 'a')).toBe(`configured ${configured.path}`);
  const failing = configured.run('open', 'a', '--with', 'false');
  expect(failing).toMatchObject({
    status: 1,
    stderr: 'carrel: false failed with exit status 1\nhint: run it yourself: false\n',
  });
});

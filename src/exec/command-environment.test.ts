import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, gitEnv, makeRepository } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { commandEnvironment, gitEnvironment, scrubEnvironment } from './command-environment.js';
import { runProcess } from './run-process.js';

const repositoryVariables = () =>
  execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');

/** An environment that has every given variable. */
const withAll = (names: string[]) => Object.fromEntries(names.map(name => [name, 'set']));

test('scrubbing removes variables that control git and keeps the others', () => {
  const steering = [
    ...repositoryVariables(),
    'GIT_TRACE',
    'GIT_ASKPASS',
    'GIT_EXTERNAL_DIFF',
    'GIT_CONFIG_KEY_0',
    'GIT_AUTHOR_DATE',
  ];
  const kept = [
    'PATH',
    'HOME',
    'DIGIT_X',
    'GIT',
    'GIT_SSH_COMMAND',
    'GIT_CONFIG_GLOBAL',
    'GIT_COMMITTER_EMAIL',
  ];
  expect(Object.keys(scrubEnvironment(withAll([...steering, ...kept])))).toEqual(kept);
});

test('a variable without a value is dropped', () => {
  expect(scrubEnvironment({ HOME: undefined, PATH: '/bin' })).toEqual({ PATH: '/bin' });
});

test('git gets fixed settings for everything it might prompt for', () => {
  expect(
    gitEnvironment({
      HOME: '/home/me',
      SSH_ASKPASS: 'ask',
      LANGUAGE: 'de',
      LC_ALL: 'de_DE',
      GIT_PAGER: 'less',
    }),
  ).toEqual({
    HOME: '/home/me',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_ADVICE: '0',
    LC_ALL: 'C.UTF-8',
  });
});

test('git never asks for a password, not even through a configured program', async () => {
  const directory = tempDir();
  const asked = join(directory, 'asked');
  const program = join(directory, 'ask');
  writeFileSync(program, `#!/bin/sh\ntouch ${asked}\necho secret\n`, { mode: 0o755 });
  const result = await runProcess({
    command: 'git',
    args: ['-c', `core.askPass=${program}`, '-c', 'credential.helper=', 'credential', 'fill'],
    cwd: directory,
    env: gitEnvironment({ ...gitEnv(), SSH_ASKPASS: program, GIT_ASKPASS: program, DISPLAY: ':0' }),
    stdin: 'protocol=https\nhost=example.com\n\n',
    timeoutMs: 20_000,
  });
  expect(result).toMatchObject({ exitCode: 128, timedOut: false });
  await expect(
    runProcess({ command: 'test', args: ['-e', asked], cwd: '/', env: gitEnv() }),
  ).resolves.toMatchObject({ exitCode: 1 });
});

test('git is not run from the directory it works in', async () => {
  const directory = tempDir();
  writeFileSync(join(directory, 'git'), '#!/bin/sh\necho evil\n', { mode: 0o755 });
  const env = gitEnvironment({ ...gitEnv(), PATH: `:.:bin:${process.env.PATH}` });
  const result = await runProcess({ command: 'git', args: ['--version'], cwd: directory, env });
  expect(result.stdout.toString()).toMatch(/^git version/);
});

test('git is not run from below a directory that agents write, by any path to it', async () => {
  const root = tempDir();
  const bin = join(root, 'workspaces/a/bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'git'), '#!/bin/sh\necho evil\n', { mode: 0o755 });
  symlinkSync(bin, join(root, 'link'));
  const PATH = `${bin}:${join(root, 'link')}:${process.env.PATH}`;
  const run = async (env: Record<string, string>) =>
    (await runProcess({ command: 'git', args: ['--version'], cwd: root, env })).stdout.toString();
  expect(await run(gitEnvironment({ ...gitEnv(), PATH }))).toBe('evil\n');
  expect(await run(gitEnvironment({ ...gitEnv(), PATH }, [join(root, 'workspaces')]))).toMatch(
    /^git version/,
  );
});

test('a command works on the repository it is in, even when called from another git', async () => {
  const [outer, inner] = [makeRepository(), makeRepository()];
  const calledByGit = {
    ...gitEnv(),
    GIT_DIR: join(outer, '.git'),
    GIT_WORK_TREE: outer,
    GIT_INDEX_FILE: join(outer, '.git/index'),
    GIT_PREFIX: 'sub/',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.worktree',
    GIT_CONFIG_VALUE_0: outer,
  };
  mkdirSync(join(inner, 'sub'));
  const env = commandEnvironment(calledByGit, { directory: join(inner, 'sub') });
  const result = await runProcess({
    command: 'git',
    args: ['rev-parse', '--show-toplevel'],
    cwd: join(inner, 'sub'),
    env,
  });
  expect(result.stdout.toString()).toBe(`${realpathSync(inner)}\n`);
  expect(git(inner, 'status', '--porcelain')).toBe('');
});

test('a command keeps everything that does not name a repository, and gets the additions', () => {
  const env = {
    ...withAll(repositoryVariables()),
    CARREL_TOKEN: 'secret',
    CARREL_FLEET: 'postgres://carrel:secret@db/carrel',
    CARREL_HUB_TOKEN: 'secret',
    HOME: '/h',
    GIT_EDITOR: 'vi',
    GIT_CONFIG_GLOBAL: '/c',
    PORT: '1',
  };
  expect(commandEnvironment(env, { directory: '/d' }, { PORT: '2', CARREL_COMMAND_ID: 'x' })).toEqual({
    PWD: '/d',
    HOME: '/h',
    GIT_EDITOR: 'vi',
    GIT_CONFIG_GLOBAL: '/c',
    PORT: '2',
    CARREL_COMMAND_ID: 'x',
  });
});

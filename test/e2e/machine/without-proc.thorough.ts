import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import type { WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { BINARY, type Outcome } from '../../helpers/carrel.js';
import { hideProc } from '../../helpers/machine/hidden-proc.js';
import { findByWord } from '../../helpers/machine/processes.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { createTidyCarrel, DESK_FILES } from '../../helpers/workspace/test-workspace.js';

// The built command on a machine that has no /proc, as macOS has none: it is hidden for real.

function makeSite(context: TestContext) {
  const launcher = hideProc(context);
  const repository = makeRepository(DESK_FILES);
  const { env } = createTidyCarrel();
  const words = (args: readonly string[]) => [...launcher, process.execPath, BINARY, ...args] as const;
  const run = (...args: string[]): Outcome => {
    const [command = '', ...rest] = words(args);
    return spawnSync(command, rest, { cwd: repository, env, encoding: 'utf8' });
  };
  return {
    repository,
    run,
    ok(...args: string[]): string {
      const { status, stdout, stderr } = run(...args);
      expect(status, `carrel ${args.join(' ')}\n${stderr}${stdout}`).toBe(0);
      return stdout.trimEnd();
    },
    /** Starts it and waits for its first output; SIGKILL for all that is left of it when the test ends. */
    async start(more: Record<string, string>, ...args: string[]): Promise<ChildProcess> {
      const [command = '', ...rest] = words(args);
      const stdio = ['ignore', 'pipe', 'inherit'] as const;
      const child = spawn(command, rest, { cwd: repository, env: { ...env, ...more }, stdio: [...stdio] });
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout as NodeJS.ReadableStream, 'data');
      return child;
    },
    killAt: (moment: string, ...args: string[]): Outcome => {
      const [command = '', ...rest] = words(args);
      const killed = { ...env, CARREL_TEST_KILL_AT: moment };
      return spawnSync(command, rest, { cwd: repository, env: killed, encoding: 'utf8' });
    },
  };
}

/** Seconds that no other process sleeps for. */
const createNap = (): string => `600.${process.pid}${String(Math.random()).slice(2, 10)}`;

const list = (text: string): string[] => (JSON.parse(text) as WorkspaceDetails[]).map(({ name }) => name);

test('a workspace is made, worked in, listed, removed, restored and landed', context => {
  const { repository, ok, run } = makeSite(context);
  const { path } = JSON.parse(ok('up', 'a', '--json')) as WorkspaceDetails;
  expect(ok('exec', 'a', '--', 'sh', '-c', 'pwd; echo two > two.txt; test ! -e /proc/self')).toBe(path);
  expect(run('exec', 'a', '--', 'sh', '-c', 'exit 7').status).toBe(7);
  expect(list(ok('ls', '--json'))).toEqual(['a']);
  expect(run('down', 'a').status).toBe(3);
  ok('down', 'a', '--discard-changes');
  expect(existsSync(path)).toBe(false);
  ok('restore', 'a');
  git(path, 'add', '--all');
  git(path, 'commit', '--quiet', '-m', 'two');
  ok('land', 'a');
  expect(git(repository, 'show', 'main:two.txt')).toBe('two');
  expect(existsSync(path)).toBe(false);
  expect(list(ok('ls', '--json'))).toEqual([]);
});

test('at its time limit a command is killed with all that it started', context => {
  const { ok, run } = makeSite(context);
  ok('up', 'a');
  const nap = createNap();
  const script = `trap '' TERM; (setsid sleep ${nap} &); sleep ${nap} & sleep ${nap}`;
  const { status } = run('exec', 'a', '--timeout', '1s', '--', 'sh', '-c', script);
  expect(status).not.toBe(0);
  expect(findByWord(nap)).toEqual([]);
  ok('down', 'a');
});

test('processes that work in a workspace prevent its removal, unless they may be stopped', async context => {
  const { ok, run } = makeSite(context);
  const { path } = JSON.parse(ok('up', 'a', '--json')) as WorkspaceDetails;
  const child = spawn('sh', ['-c', 'echo ready; exec sleep 600'], {
    cwd: path,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const refused = run('down', 'a');
  expect(refused.status).toBe(3);
  expect(refused.stderr).toContain(`${child.pid} `);
  ok('down', 'a', '--stop-processes');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(existsSync(path)).toBe(false);
});

test('processes of a killed Carrel are found by the next one, and its incomplete workspace is cleaned up', async context => {
  const { ok, start, killAt } = makeSite(context);
  ok('up', 'a');
  const nap = createNap();
  const running = await start({}, 'exec', 'a', '--', 'sh', '-c', `echo ready; exec sleep ${nap}`);
  running.kill('SIGKILL');
  await once(running, 'exit');
  expect(findByWord(nap)).toHaveLength(1);
  ok('down', 'a', '--stop-processes');
  expect(findByWord(nap)).toEqual([]);
  expect(killAt('up:populated', 'up', 'b').signal ?? 'SIGKILL').toBe('SIGKILL');
  expect(list(ok('ls', '--json'))).toEqual([]);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RemovalResult } from '../../src/domain/result.js';
import { leaseWorkspace, openApp, returnLease } from '../../src/index.js';
import { makeDesk } from '../helpers/desk.js';
import { expectComesBack, expectGone, expectKept, expectProtected, normalize } from '../helpers/removal.js';
import { tempDir } from '../helpers/temp.js';

/** Starts a shell script that has to say `ready` when it is; it ends with the test at the latest. */
async function startScript(script: string, cwd: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn('/bin/sh', ['-c', script], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(String(line)).toBe('ready\n');
  return child as ChildProcess & { pid: number };
}

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function expectEnds(child: ChildProcess): Promise<void> {
  if (!ended(child)) await once(child, 'exit');
}

test('a process whose current directory is inside keeps a workspace until it may be ended', async () => {
  const desk = makeDesk();
  mkdirSync(join(desk.path, 'deep'));
  const child = await startScript('echo ready; read line', join(desk.path, 'deep'));
  const names = [`${child.pid} `, 'read line'];
  const result = expectProtected(desk, { kind: 'processes', names, flag: '--stop-processes' });
  expect(result.stopped).toEqual([child.pid]);
  await expectEnds(child);
});

test('a process that writes on from elsewhere keeps a workspace; what it wrote until its end is held', async () => {
  const desk = makeDesk();
  const file = join(desk.path, 'numbers.log');
  const script = `exec 3>>'${file}'; i=0; while :; do i=$((i+1)); echo $i >&3; [ $i = 1 ] && echo ready; done`;
  const child = await startScript(script, '/');
  const refused = desk.carrel.error(desk.repository, 'down', 'a', '--discard-changes', '--discard-commits');
  expect(refused).toMatchObject({ status: 3, details: { risks: [{ kind: 'processes' }] } });
  expect(ended(child)).toBe(false);
  desk.ok('down', 'a', '--stop-processes');
  await expectEnds(child);
  expect(existsSync(desk.path)).toBe(false);
  desk.ok('restore', 'a');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines).toEqual(lines.map((_, index) => `${index + 1}`));
});

test('a process that does not listen to SIGTERM is ended all the same', async () => {
  const desk = makeDesk();
  const child = await startScript('trap "" TERM; echo ready; while :; do read line; done', desk.path);
  expectGone(desk, ['--stop-processes']);
  await expectEnds(child);
  expect(child.signalCode).toBe('SIGKILL');
});

test('a command of `carrel exec` that went elsewhere still counts', async () => {
  const desk = makeDesk();
  const running = desk.carrel.start(
    desk.repository,
    ...['exec', 'a', '--', 'sh', '-c', 'cd /; echo ready; exec sleep 300'],
  );
  await once(running.child.stdout as NodeJS.ReadableStream, 'data');
  expect(expectKept(desk)).toMatchObject([
    { kind: 'processes', items: [expect.stringContaining('sleep 300')] },
  ]);
  const { stopped } = expectGone(desk, ['--stop-processes']) as RemovalResult;
  expect(stopped).toHaveLength(1);
  expect(await running).toMatchObject({ status: 143 });
});

test('the current directory of the shell keeps a workspace whatever is accepted, and is never killed for it', () => {
  const desk = makeDesk();
  const everything = '--discard-changes --discard-commits --stop-processes --break-lease';
  const refused = desk.type(join(desk.path, 'source'), `carrel down a ${everything}`);
  expect(refused).toMatchObject({ status: 3, signal: null });
  expect(normalize(desk, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      the current directory is inside it
        <cache>/worktrees/repo/a
    hint: leave it with: cd <repository>"
  `);
  expect(desk.git('status', '--porcelain')).toBe('');
  const outside = desk.type(desk.path, `cd '${desk.repository}' && carrel down a`);
  expect(outside).toMatchObject({ status: 0 });
});

test('so does the directory that a program started the command in', () => {
  const desk = makeDesk();
  const refused = desk.carrel.error(desk.path, '-R', desk.repository, 'down', 'a', '--stop-processes');
  expect(refused).toMatchObject({
    status: 3,
    details: { risks: [{ kind: 'current-directory', flag: null }] },
  });
  expect(existsSync(desk.path)).toBe(true);
  // A neighbour whose name begins the same is somewhere else.
  const neighbour = desk.ok('up', 'ab');
  desk.carrel.ok(neighbour, 'down', 'a');
});

test('a lease keeps a workspace until it is returned or broken', async () => {
  const desk = makeDesk();
  const app = await openApp({ environment: desk.carrel.env, cwd: tempDir() });
  onTestFinished(() => app.close());
  const query = { repository: desk.repository, name: 'a' };
  const lease = await leaseWorkspace(app, { ...query, holder: 'a night shift' });
  expectProtected(desk, { kind: 'leased', names: ['a night shift'], flag: '--break-lease' });
  const again = await leaseWorkspace(app, { ...query, holder: 'the day shift' });
  expect(await returnLease(app, { ...query, leaseId: lease.id })).toBe(false);
  expectKept(desk);
  expect(await returnLease(app, { ...query, leaseId: again.id })).toBe(true);
  expectComesBack(desk);
});

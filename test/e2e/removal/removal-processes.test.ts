import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { leaseWorkspace, openApp, returnLease } from '../../../src/advanced.js';
import type { RemovalResult } from '../../../src/domain/report/result.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import {
  expectComesBack,
  expectGone,
  expectKept,
  expectProtected,
  normalize,
} from '../../helpers/workspace/removal.js';
import { makeFixture } from '../../helpers/workspace/test-workspace.js';

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

test('a process whose current directory is inside prevents a removal unless it may be killed', async () => {
  const fixture = makeFixture();
  mkdirSync(join(fixture.path, 'deep'));
  const child = await startScript('echo ready; read line', join(fixture.path, 'deep'));
  const names = [`${child.pid} `, 'read line'];
  const result = expectProtected(fixture, { kind: 'processes', names, flag: '--stop-processes' });
  expect(result.stopped).toEqual([child.pid]);
  await expectEnds(child);
});

thoroughTest(
  'a process elsewhere that still writes prevents a removal; what it wrote until it was killed is in the snapshot',
  async () => {
    const fixture = makeFixture();
    const file = join(fixture.path, 'numbers.log');
    const script = `exec 3>>'${file}'; i=0; while :; do i=$((i+1)); echo $i >&3; [ $i = 1 ] && echo ready; done`;
    const child = await startScript(script, '/');
    const refused = fixture.carrel.error(
      fixture.repository,
      'down',
      'a',
      '--discard-changes',
      '--discard-commits',
    );
    expect(refused).toMatchObject({ status: 3, details: { risks: [{ kind: 'processes' }] } });
    expect(ended(child)).toBe(false);
    fixture.ok('down', 'a', '--stop-processes');
    await expectEnds(child);
    expect(existsSync(fixture.path)).toBe(false);
    fixture.ok('restore', 'a');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toEqual(lines.map((_, index) => `${index + 1}`));
  },
);

test('another Carrel that reads a file there neither blocks it nor is killed', async () => {
  const fixture = makeFixture();
  const child = await startScript(`exec 3<'${join(fixture.path, 'README.md')}'; echo ready; exec cat`, '/');
  const claim = { ...identifyProcess(child.pid as number), host: hostname() };
  writeFiles(fixture.carrel.stateDir, { 'in-use/other.json': JSON.stringify(claim) });
  fixture.ok('down', 'a', '--stop-processes');
  expect(ended(child)).toBe(false);
  child.kill('SIGKILL');
  await expectEnds(child);
});

thoroughTest('a process that ignores SIGTERM is killed', async () => {
  const fixture = makeFixture();
  const child = await startScript('trap "" TERM; echo ready; while :; do read line; done', fixture.path);
  expectGone(fixture, ['--stop-processes']);
  await expectEnds(child);
  expect(child.signalCode).toBe('SIGKILL');
});

thoroughTest('a command of `carrel exec` that changed its directory still counts', async () => {
  const fixture = makeFixture();
  const running = fixture.carrel.start(
    fixture.repository,
    ...['exec', 'a', '--', 'sh', '-c', 'cd /; echo ready; exec sleep 300'],
  );
  await once(running.child.stdout as NodeJS.ReadableStream, 'data');
  expect(expectKept(fixture)).toMatchObject([
    { kind: 'processes', items: [expect.stringContaining('sleep 300')] },
  ]);
  const { stopped } = expectGone(fixture, ['--stop-processes']) as RemovalResult;
  expect(stopped).toHaveLength(1);
  expect(await running).toMatchObject({ status: 143 });
});

thoroughTest(
  'the current directory of the shell keeps a workspace whatever is accepted, and is never killed for it',
  () => {
    const fixture = makeFixture();
    const everything = '--discard-changes --discard-commits --stop-processes --break-lease';
    const refused = fixture.type(join(fixture.path, 'source'), `carrel down a ${everything}`);
    expect(refused).toMatchObject({ status: 3, signal: null });
    expect(normalize(fixture, refused)).toMatchInlineSnapshot(`
    "carrel: a was kept; nothing was changed
      the current directory is inside it
        <cache>/worktrees/repo/a
    hint: leave it with: cd <repository>"
  `);
    expect(fixture.git('status', '--porcelain')).toBe('');
    const outside = fixture.type(fixture.path, `cd '${fixture.repository}' && carrel down a`);
    expect(outside).toMatchObject({ status: 0 });
  },
);

thoroughTest('so does the directory that a program started the command in', () => {
  const fixture = makeFixture();
  const refused = fixture.carrel.error(
    fixture.path,
    '-R',
    fixture.repository,
    'down',
    'a',
    '--stop-processes',
  );
  expect(refused).toMatchObject({
    status: 3,
    details: { risks: [{ kind: 'current-directory', flag: null }] },
  });
  expect(existsSync(fixture.path)).toBe(true);
  // A neighbour whose name begins the same is somewhere else.
  const neighbour = fixture.ok('up', 'ab');
  fixture.carrel.ok(neighbour, 'down', 'a');
});

test('a lease keeps a workspace until it is returned or broken', async () => {
  const fixture = makeFixture();
  const app = await openApp({ environment: fixture.carrel.env, cwd: tempDir() });
  onTestFinished(() => app.close());
  const query = { repository: fixture.repository, name: 'a' };
  const lease = await leaseWorkspace(app, { ...query, holder: 'a night shift' });
  expectProtected(fixture, { kind: 'leased', names: ['a night shift'], flag: '--break-lease' });
  const again = await leaseWorkspace(app, { ...query, holder: 'the day shift' });
  expect(await returnLease(app, { ...query, leaseId: lease.id })).toBe(false);
  expectKept(fixture);
  expect(await returnLease(app, { ...query, leaseId: again.id })).toBe(true);
  expectComesBack(fixture);
});

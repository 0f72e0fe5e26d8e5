import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { sampleOf } from '../../../test/helpers/flavours.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { identifyProcess } from '../process/identify-process.js';
import { hasProc } from '../process/process-table.js';
import { findWithLsof } from './find-inside-lsof.js';
import { findProcessesInside } from './processes-inside.js';

const children: ChildProcess[] = [];

// Not onTestFinished: that runs after the check for processes left behind.
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

/** A process in `cwd` that lives until the test ends; `stdout` is an open file for it. */
function startIn(cwd: string, stdout: number | 'ignore' = 'ignore', title = 'cat'): number {
  const child = spawn('cat', { cwd, stdio: ['pipe', stdout, 'ignore'], argv0: title });
  children.push(child);
  return child.pid ?? 0;
}

/** A process elsewhere that has `path` open. */
function startWithOpenFile(path: string): number {
  const descriptor = openSync(path, 'a');
  const pid = startIn('/', descriptor);
  closeSync(descriptor);
  return pid;
}

function makeDirectory(name: string): string {
  const path = join(tempDir(), name);
  mkdirSync(path);
  return path;
}

const lsof = hasProc() && spawnSync('lsof', ['-v']).error === undefined;
const ways = [
  { way: 'this system', find: findProcessesInside, skip: false },
  { way: 'lsof', find: findWithLsof, skip: !lsof },
];

describe.each(ways)('through $way', ({ find, skip }) => {
  const found = async (directory: string) =>
    (await find(directory)).map(({ identity, how }) => ({ pid: identity.pid, how }));

  test
    .skipIf(skip)
    .each(
      sampleOf(['plain', 'with spaces', 'line\nbreak', 'tab\tünïcode', '-rf', 'back\\slash'], 'line\nbreak'),
    )('finds a working directory and an open file in %j', async name => {
    const directory = makeDirectory(name);
    mkdirSync(join(directory, 'sub dir'));
    const here = startIn(directory);
    const below = startIn(join(directory, 'sub dir'));
    const open = startWithOpenFile(join(directory, 'log.txt'));
    const expected = [
      { pid: here, how: 'cwd' },
      { pid: below, how: 'cwd' },
      { pid: open, how: 'open-file' },
    ];
    expect((await found(directory)).sort((a, b) => a.pid - b.pid)).toEqual(
      expected.sort((a, b) => a.pid - b.pid),
    );
  });

  test.skipIf(skip)('leaves out a neighbour whose name begins the same', async () => {
    const directory = makeDirectory('work');
    for (const name of [`${directory}-2`, `${directory} (deleted)`]) {
      mkdirSync(name);
      startIn(name);
    }
    expect(await found(directory)).toEqual([]);
  });

  test.skipIf(skip)('excludes our own process', async () => {
    const directory = makeDirectory('work');
    const descriptor = openSync(join(directory, 'file'), 'w');
    onTestFinished(() => closeSync(descriptor));
    expect(await found(directory)).toEqual([]);
  });
});

test('returns the identity and a printable command line', async () => {
  const directory = makeDirectory('work');
  const pid = startIn(directory, 'ignore', 'my\u001b[31m\nserver');
  const [inside] = await findProcessesInside(directory);
  expect(inside).toEqual({
    identity: identifyProcess(pid),
    command: expect.stringMatching(hasProc() ? /^my \[31m server/ : /./),
    how: 'cwd',
  });
});

test.skipIf(!hasProc())('finds a process that only runs a program from there', async () => {
  const program = join(makeDirectory('work'), 'server');
  copyFileSync('/bin/sleep', program);
  chmodSync(program, 0o755);
  const child = spawn(program, ['600'], { cwd: '/', stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  expect(await findProcessesInside(dirname(program))).toMatchObject([
    { identity: { pid: child.pid }, how: 'open-file' },
  ]);
});

test('a symbolic link works like the directory itself', async () => {
  const directory = makeDirectory('work');
  const link = join(tempDir(), 'link');
  symlinkSync(directory, link);
  const pid = startIn(link);
  expect(await findProcessesInside(link)).toMatchObject([{ identity: { pid } }]);
});

test.skipIf(!hasProc())('finds processes in a deleted directory', async () => {
  const directory = makeDirectory('work');
  mkdirSync(join(directory, 'sub'));
  const pids = [startIn(directory), startIn(join(directory, 'sub'))];
  await expect.poll(async () => (await findProcessesInside(directory)).length).toBe(2);
  rmSync(directory, { recursive: true });
  expect((await findProcessesInside(directory)).map(({ identity }) => identity.pid).sort()).toEqual(
    pids.sort(),
  );
});

test("thousands of open files elsewhere don't matter", async () => {
  const directory = makeDirectory('work');
  const path = join(tempDir(), 'file');
  writeFileSync(path, '');
  const script = `for (let i = 0; i < 3000; i++) require('fs').openSync(${JSON.stringify(path)}); console.log(1); setInterval(() => {}, 999)`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout, 'data');
  const startedAt = performance.now();
  expect(await findProcessesInside(directory)).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(5000);
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { needProgram } from '../../../test/parts/required-part.js';
import { ancestorsOf, findProcess, hasProc, listProcesses } from './process-table.js';
import { psSource } from './ps-table.js';

function start(command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function firstLine(child: ReturnType<typeof start>): Promise<string> {
  const [chunk] = await once(child.stdout, 'data');
  return String(chunk).trim();
}

test('this process is in the table with its parent', () => {
  const entry = listProcesses().find(({ pid }) => pid === process.pid);
  expect(entry).toMatchObject({ pid: process.pid, parent: process.ppid });
  expect(entry?.startedAt).toBe(findProcess(process.pid)?.startedAt);
});

test('an unused pid is not found', () => {
  expect(findProcess(2 ** 22 + 1)).toBeUndefined();
});

test('a zombie counts as dead', async () => {
  needProgram('ps');
  // `exec` gives the shell's child a parent that never asks for its exit status; the shell itself would.
  const parent = start('sh', ['-c', 'sleep 600 & echo $!; exec cat']);
  const zombie = Number(await firstLine(parent));
  parent.stdin.write('x');
  expect(await firstLine(parent)).toBe('x');
  process.kill(zombie, 'SIGKILL');
  await expect.poll(() => psState(zombie)).toBe('Z');
  expect(findProcess(zombie)).toBeUndefined();
  expect(listProcesses().some(({ pid }) => pid === zombie)).toBe(false);
  expect(psSource.find(zombie)).toBeUndefined();
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});

test('a program name with spaces, parentheses and a line break is parsed correctly', async () => {
  const program = join(tempDir(), 'a) R 1 (\nb');
  symlinkSync(spawnSync('sh', ['-c', 'command -v cat'], { encoding: 'utf8' }).stdout.trim(), program);
  const child = start(program, []);
  await once(child, 'spawn');
  expect(findProcess(child.pid ?? 0)).toMatchObject({
    parent: process.pid,
    state: expect.stringMatching(/^[A-Z]$/),
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('ancestors start with the parent and leave out pid 1', async () => {
  const child = start('sh', ['-c', 'sh -c "echo \\$\\$; cat"; true']);
  const grandchild = Number(await firstLine(child));
  expect(ancestorsOf(grandchild).slice(0, 3)).toEqual([child.pid, process.pid, process.ppid]);
  expect(ancestorsOf(grandchild)).not.toContain(1);
  child.stdin.end();
  await once(child, 'exit');
});

test.skipIf(!hasProc())('ps reports the same as /proc', () => {
  needProgram('ps');
  const own = psSource.find(process.pid);
  const { parent, group } = findProcess(process.pid) ?? {};
  expect(own).toMatchObject({ pid: process.pid, parent, group, session: 0 });
  expect(own?.startedAt).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
  expect(psSource.list()).toContainEqual(
    expect.objectContaining({ pid: process.pid, startedAt: own?.startedAt }),
  );
  expect(psSource.find(2 ** 22 - 1)).toBeUndefined();
});

const psState = (pid: number) =>
  spawnSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' })
    .stdout.trim()
    .slice(0, 1);

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { bundle } from '../../../test/helpers/machine/bundle.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { errnoOf } from '../../domain/error/error.js';
import { identifyProcess } from '../process/identify-process.js';
import { findProcess, listProcesses } from '../process/process-table.js';
import { killOrphans, killProcesses, killTree } from './kill-tree.js';
import { findOrphans, parentVariables } from './orphans.js';

const fixture = (name: string) => join(import.meta.dirname, '../../../test/fixtures/exec', name);
const env = { PATH: process.env.PATH ?? '' };
const onLinux = test.skipIf(process.platform !== 'linux');

const leaders: ChildProcess[] = [];
const others: number[] = [];

// A failing test must not leave anything behind. (onTestFinished runs after the check for processes left behind.)
afterEach(() => {
  for (const leader of leaders.splice(0)) if (leader.pid) killIfThere(-leader.pid);
  for (const pid of others.splice(0)) killIfThere(pid);
});

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

/** Starts it as the leader of a session and waits for `count` numbers on its output. */
async function start(command: string, args: string[], numbers: number, more: Record<string, string> = {}) {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, ...more },
  });
  const pids: number[] = [];
  leaders.push(child);
  while (pids.length < numbers) {
    const [chunk] = await once(child.stdout, 'data');
    pids.push(...(String(chunk).match(/\d+/g) ?? []).map(Number));
  }
  others.push(...pids);
  return { child, pid: pidOf(child), pids };
}

const pidOf = (child: ChildProcess) => child.pid ?? 0;
const startedAtOf = (pid: number) => findProcess(pid)?.startedAt ?? 'none';
const livingOf = (pids: number[]) => pids.filter(pid => findProcess(pid));
const identify = (pid: number) => {
  const identity = identifyProcess(pid);
  if (!identity) throw new Error(`${pid} does not live`);
  return identity;
};

/** A program that kills the tree of the pid given to it, by the marker that it carries itself. */
async function bundleKiller(): Promise<string> {
  const directory = tempDir();
  await bundle(join(import.meta.dirname, 'kill-tree.ts'), { file: join(directory, 'kill-tree.mjs') });
  const script = `
    import { killTree } from './kill-tree.mjs';
    const options = { graceMs: 5000, marker: process.env.CARREL_COMMAND_ID };
    const { survivors } = await killTree({ pid: Number(process.argv[2]) }, options);
    console.log(survivors.length === 0 ? process.pid : 'some survived');`;
  writeFileSync(join(directory, 'killer.mjs'), script);
  return join(directory, 'killer.mjs');
}

describe('killing a tree', () => {
  test('kills descendants that ignore SIGTERM and confirms it', async () => {
    const { pid, pids } = await start(process.execPath, [fixture('stubborn.mjs'), '2'], 3);
    expect(await killTree({ pid, startedAt: startedAtOf(pid) }, { graceMs: 50 })).toEqual({ survivors: [] });
    expect(livingOf(pids)).toEqual([]);
  });

  test('does not wait for the grace period when SIGTERM was enough', async () => {
    const { pid, pids } = await start('sh', ['-c', 'sleep 600 & echo $! $$; wait'], 2);
    expect(await killTree({ pid }, { graceMs: 600_000 })).toEqual({ survivors: [] });
    expect(livingOf(pids)).toEqual([]);
  });

  test('kills a descendant in another session', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      console.log(child.pid);`;
    const { pid, pids } = await start(process.execPath, ['-e', script], 1);
    expect(await killTree({ pid }, { graceMs: 5000 })).toEqual({ survivors: [] });
    expect(livingOf(pids)).toEqual([]);
  });

  test('kills the rest of the group when the root is already dead', async () => {
    const { child, pid, pids } = await start('sh', ['-c', 'sleep 600 & echo $!'], 1);
    if (child.exitCode === null) await once(child, 'exit');
    expect(livingOf(pids)).toEqual(pids);
    expect(await killTree({ pid }, { graceMs: 5000 })).toEqual({ survivors: [] });
    expect(livingOf(pids)).toEqual([]);
  });

  onLinux('finds a daemon that left parent, group and session by its marker alone', async () => {
    const marker = 'kill-tree-test-daemon';
    const { pid, pids } = await start(process.execPath, [fixture('daemon.mjs')], 1, {
      CARREL_COMMAND_ID: marker,
    });
    const [daemon = 0] = pids;
    await expect.poll(() => findProcess(daemon)?.parent).not.toBe(undefined);
    await expect.poll(() => livingOf([findProcess(daemon)?.parent ?? 0])).not.toContain(pid);
    expect(await killTree({ pid }, { graceMs: 5000, marker })).toEqual({ survivors: [] });
    expect(livingOf([daemon, pid])).toEqual([]);
  });

  onLinux('leaves the marked processes of other commands alone', async () => {
    const one = await start('sh', ['-c', 'echo $$; sleep 600; :'], 1, {
      CARREL_COMMAND_ID: 'kill-tree-test-1',
    });
    const other = await start('sh', ['-c', 'echo $$; sleep 600; :'], 1, {
      CARREL_COMMAND_ID: 'kill-tree-test-12',
    });
    await killTree({ pid: one.pid }, { graceMs: 5000, marker: 'kill-tree-test-1' });
    expect([livingOf(one.pids), livingOf(other.pids)]).toEqual([[], other.pids]);
    await killTree({ pid: other.pid }, { graceMs: 5000 });
  });

  onLinux('finds nothing by a marker that the killer itself carries', async () => {
    const marked = { CARREL_COMMAND_ID: 'kill-tree-test-nested' };
    const sibling = await start('sh', ['-c', 'echo $$; sleep 600; :'], 1, marked);
    const target = await start('sh', ['-c', 'echo $$; sleep 600; :'], 1, marked);
    const killer = await start(process.execPath, [await bundleKiller(), String(target.pid)], 1, marked);
    if (killer.child.exitCode === null) await once(killer.child, 'exit');
    expect(killer.child.exitCode).toBe(0);
    expect([livingOf(target.pids), livingOf(sibling.pids)]).toEqual([[], sibling.pids]);
    await killTree({ pid: sibling.pid }, { graceMs: 5000 });
  });

  test('kills processes that keep forking and exiting', async () => {
    const trace = join(tempDir(), 'trace');
    writeFileSync(trace, '');
    const hops = () => statSync(trace).size;
    const { pid } = await start('sh', ['-c', `echo $$; exec sh ${fixture('hop.sh')} ${trace} 5000`], 1);
    await expect.poll(hops).toBeGreaterThan(20);
    expect(await killTree({ pid }, { graceMs: 20 })).toEqual({ survivors: [] });
    const atTheEnd = hops();
    for (let look = 0; look < 50; look++) listProcesses();
    expect(hops()).toBe(atTheEnd);
  });

  test('leaves a process with the same pid and another start time alone', async () => {
    const { pid, pids } = await start('sh', ['-c', 'sleep 600 & echo $!; wait'], 1);
    expect(await killTree({ pid, startedAt: '1' }, { graceMs: 0 })).toEqual({ survivors: [] });
    expect(livingOf([pid, ...pids])).toEqual([pid, ...pids]);
    await killTree({ pid }, { graceMs: 5000 });
  });

  test('refuses pid 1 and 0', async () => {
    for (const pid of [1, 0, -5]) {
      await expect(killTree({ pid }, { graceMs: 0 })).rejects.toMatchObject({ code: 'INTERNAL' });
    }
  });
});

describe('killing given processes', () => {
  test('kills those and not their children', async () => {
    const { pid, pids } = await start('sh', ['-c', 'sleep 600 & echo $!; wait'], 1);
    expect(await killProcesses([identify(pid)], { graceMs: 5000 })).toEqual({ survivors: [] });
    expect(livingOf([pid, ...pids])).toEqual(pids);
    expect(await killProcesses(pids.map(identify), { graceMs: 5000 })).toEqual({ survivors: [] });
    expect(livingOf(pids)).toEqual([]);
  });

  test('continues a stopped one so that it can exit', async () => {
    const { pid } = await start('sh', ['-c', 'echo $$; kill -STOP $$'], 1);
    await expect.poll(() => findProcess(pid)?.state).toBe('T');
    expect(await killProcesses([identify(pid)], { graceMs: 600_000 })).toEqual({ survivors: [] });
  });

  test('leaves a pid that is another process by now alone', async () => {
    const { pid } = await start('sh', ['-c', 'echo $$; sleep 600; :'], 1);
    const former = { ...identify(pid), startedAt: '1' };
    expect(await killProcesses([former], { graceMs: 0 })).toEqual({ survivors: [] });
    expect(livingOf([pid])).toEqual([pid]);
    await killTree({ pid }, { graceMs: 5000 });
  });

  test('spares our own process and our ancestors, and reports them as alive', async () => {
    const own = [identify(process.pid), identify(process.ppid)];
    expect(await killProcesses(own, { graceMs: 0 })).toEqual({ survivors: [process.pid, process.ppid] });
  });

  test('counts a process of another pid namespace as surviving', async () => {
    const elsewhere = {
      ...identify(process.pid),
      pid: 4242,
      realm: identify(process.pid).realm.replace(/ .*/, ' pid:[1]'),
    };
    expect(await killProcesses([elsewhere], { graceMs: 0 })).toEqual({ survivors: [4242] });
  });
});

onLinux('processes that orphans start while being killed are killed too', async () => {
  const parent = { ...identify(process.pid), startedAt: '4242' };
  const loops = Array.from({ length: 8 }, () =>
    spawn('sh', ['-c', 'while :; do sleep 0.01; done'], {
      env: { ...process.env, ...parentVariables(parent) },
    }),
  );
  await expect.poll(() => findOrphans(parent).length).toBeGreaterThanOrEqual(loops.length);
  expect(await killOrphans(parent, { graceMs: 5000 })).toEqual({ survivors: [] });
  expect(findOrphans(parent)).toEqual([]);
});

onLinux('processes that a program starts in its exit trap are left alone', async () => {
  const directory = tempDir();
  const trap = 'sleep 0.2 && echo bye > ended; exit 0';
  const child = spawn('sh', ['-c', `trap '${trap}' TERM; echo up; while :; do sleep 0.05; done`], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const { survivors } = await killTree({ pid: child.pid ?? 0 }, { graceMs: 30_000 });
  expect(survivors).toEqual([]);
  expect(readFileSync(join(directory, 'ended'), 'utf8')).toBe('bye\n');
});

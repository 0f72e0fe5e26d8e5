import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withoutProc } from '../../../test/helpers/machine/macos.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireProgram } from '../../../test/parts/required-part.js';
import { findProcessesInside } from '../inside/processes-inside.js';
import { currentBoot, identifyProcess, isAlive } from '../process/identify-process.js';
import { ancestorsOf, findProcess, hasProc, listProcesses } from '../process/process-table.js';
import { continueAll, haltAll } from './halt-processes.js';
import { killProcesses, killTree } from './kill-tree.js';
import { findOrphans, killCommandsOf, parentVariables } from './orphans.js';
import { findSandboxRoots, listMembers, sandboxVariables } from './sandbox-processes.js';

// All of this runs through `ps` and, where it says so, `lsof`, as on a system without /proc.

// macOS hides the environment of system programs, so processes found by it run node.
const node = `'${process.execPath}' -e`;
const SLEEPER = `exec ${node} 'console.log(process.pid); setInterval(() => {}, 1e6)'`;
const DAEMON = `${node} '
  const sleeper = ["-e", "console.log(process.pid); setInterval(() => {}, 1e6)"];
  require("child_process").spawn(process.execPath, sleeper, { detached: true, stdio: "inherit" }).unref();'`;

beforeEach(context => requireProgram(context, 'ps'));

const source = withoutProc();
const children: ChildProcess[] = [];
const others: number[] = [];

// Not onTestFinished: that runs after the check for processes left behind.
afterEach(async () => {
  for (const pid of others.splice(0)) kill(pid);
  for (const child of children.splice(0)) {
    kill(-(child.pid ?? 0));
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is dead already.
  }
}

/** Runs a script as the leader of a session until it has printed `count` pids. */
async function start(script: string, pids = 1, variables: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH ?? '', ...variables };
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
  children.push(child);
  const printed: number[] = [];
  while (printed.length < pids) {
    const [chunk] = await once(child.stdout, 'data');
    printed.push(...(String(chunk).match(/\d+/g) ?? []).map(Number));
  }
  others.push(...printed);
  return { child, pid: child.pid ?? 0, printed };
}

const identify = (pid: number) => {
  const identity = identifyProcess(pid, source);
  if (!identity) throw new Error(`${pid} is not alive`);
  return identity;
};

const living = (pids: readonly number[]) => pids.filter(pid => findProcess(pid, source));

describe('without /proc', () => {
  test('a process is identified by pid, start time and boot', async () => {
    const { child, pid } = await start('echo $$; exec sleep 600');
    const identity = identify(pid);
    expect(identity).toEqual({
      pid,
      startedAt: expect.stringMatching(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/),
      realm: expect.stringMatching(/^6F1E0C52-9A3B-4B7C-8D55-0A2F4E1B9C77 - [0-9a-f]{16}$/),
    });
    expect(isAlive(identity, source)).toBe('alive');
    expect(isAlive({ ...identity, startedAt: 'Thu Jan  1 00:00:00 1970' }, source)).toBe('dead');
    expect(isAlive({ ...identity, realm: '00000000-0000-4000-8000-000000000000 -' }, source)).toBe('dead');
    expect(isAlive({ ...identity, realm: 'another-boot - another-machine' }, source)).toBe('unknown');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(identity, source)).toBe('dead');
  });

  test.runIf(hasProc())('the table shows the same processes as /proc', async () => {
    const { pid } = await start('echo $$; exec sleep 600');
    const { parent, group } = findProcess(pid) ?? {};
    expect(listProcesses(source)).toContainEqual(expect.objectContaining({ pid, parent, group }));
    expect(ancestorsOf(pid, source)).toEqual(ancestorsOf(pid));
  });

  test('a tree is killed with a descendant that ignores SIGTERM and one in another session', async () => {
    const script = `trap '' TERM; ${DAEMON}; sleep 600 & echo $$; wait`;
    const { pid, printed } = await start(script, 2, { CARREL_COMMAND_ID: 'op_tree' });
    await expect.poll(() => treeOf(pid).length).toBe(2);
    const tree = treeOf(pid);
    const marker = 'op_tree';
    expect(await killTree({ pid }, { graceMs: 100, marker, source })).toEqual({ survivors: [] });
    expect(living([...tree, ...printed])).toEqual([]);
  });

  test('a daemon that left parent, group and session is found by its marker', async () => {
    const marker = { CARREL_COMMAND_ID: 'op_without_proc' };
    const { pid, printed } = await start(`${DAEMON}; exec sleep 600`, 1, marker);
    const result = await killTree({ pid }, { graceMs: 500, marker: 'op_without_proc', source });
    expect(result).toEqual({ survivors: [] });
    expect(living(printed)).toEqual([]);
  });

  test('a process with the marker only in its arguments is left alone', async () => {
    const bystander = await start('echo $$; exec sh -c "sleep 600; :" CARREL_COMMAND_ID=op_words');
    const target = await start(SLEEPER, 1, { CARREL_COMMAND_ID: 'op_words' });
    await killTree({ pid: target.pid }, { graceMs: 500, marker: 'op_words', source });
    expect([living([target.pid]), living([bystander.pid])]).toEqual([[], [bystander.pid]]);
  });

  test('given processes are killed, stopped ones too, and a pid that is another process by now is not', async () => {
    const stopped = await start('echo $$; kill -STOP $$');
    await expect.poll(() => findProcess(stopped.pid, source)?.state).toBe('T');
    const other = await start('echo $$; exec sleep 600');
    const former = { ...identify(other.pid), startedAt: 'Thu Jan  1 00:00:00 1970' };
    const options = { graceMs: 2000, source };
    expect(await killProcesses([identify(stopped.pid), former], options)).toEqual({ survivors: [] });
    expect(living([stopped.pid, other.pid])).toEqual([other.pid]);
  });

  test('orphans of a dead Carrel are found by its variable, and its commands are killed', async () => {
    const parent = identify(process.pid);
    const stranger = { ...parent, startedAt: 'Thu Jan  1 00:00:00 1970' };
    const command = { CARREL_COMMAND_ID: 'op_1' };
    const git = await start(SLEEPER, 1, parentVariables(parent));
    const ours = await start(SLEEPER, 1, { ...command, ...parentVariables(parent) });
    const theirs = await start(SLEEPER, 1, { ...command, ...parentVariables(stranger) });
    const found = findOrphans(parent, source).map(({ pid }) => pid);
    expect(found.sort()).toEqual([git.pid, ours.pid].sort());
    killCommandsOf(parent, source);
    await expect.poll(() => living([git.pid, ours.pid, theirs.pid])).toEqual([git.pid, theirs.pid]);
  });

  test('commands of a sandbox are found, paused and resumed', async () => {
    const variables = sandboxVariables('host', 'ws_without_proc');
    const { pid } = await start(SLEEPER, 1, variables);
    const roots = () => findSandboxRoots('host', 'ws_without_proc', source);
    expect(roots().map(({ identity }) => identity.pid)).toContain(pid);
    expect(await haltAll(roots, { limitMs: 60_000, source })).toEqual([]);
    expect(statesOf(roots())).toEqual(['T']);
    continueAll(roots(), source);
    await expect.poll(() => statesOf(roots()).includes('T')).toBe(false);
  });

  test('processes that work in a directory are found with lsof', async context => {
    requireProgram(context, 'lsof');
    const directory = tempDir();
    const { pid } = await start(`cd '${directory}'; echo $$; exec sleep 600`);
    const found = await findProcessesInside(directory, source);
    expect(found).toEqual([{ identity: identify(pid), command: 'sleep', how: 'cwd' }]);
  });
});

const treeOf = (pid: number): number[] =>
  listProcesses(source)
    .filter(entry => entry.pid === pid || entry.parent === pid)
    .map(entry => entry.pid);

const statesOf = (roots: ReturnType<typeof findSandboxRoots>): string[] =>
  listMembers(roots, source).flatMap(({ states }) => states);

test.runIf(hasProc())('the system decides: with /proc the boot is the kernel id', () => {
  expect(currentBoot()).toMatch(/^[0-9a-f-]{36}$/);
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { AS_NOBODY, useBubblewrapPrograms } from '../../../test/helpers/sandbox/bubblewrap-programs.js';
import { type Caller, makeBubblewrapPlace } from '../../../test/helpers/sandbox/runtime.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { openSandbox, type RuntimePlace, textOf } from '../contract/subject.js';
import { createNap, eventually, findNapping } from '../contract/traces.js';

beforeEach(requireBubblewrap);

describe.each<Caller>(['ourselves', 'an ordinary user'])('bubblewrap, started by %s', caller => {
  const setup = async (): Promise<RuntimePlace> => makeBubblewrapPlace(caller);

  test("a sandbox that can't be created is refused with the reason, and nothing is run", async () => {
    const { directory, sandbox } = await openSandbox(setup, (policy, { directory }) => ({
      mounts: [
        ...policy.mounts,
        { kind: 'bind', from: join(directory, 'none'), to: '/none', writable: false },
      ],
    }));
    const running = sandbox.run({ command: ['touch', 'ran'] });
    await expect(running).rejects.toMatchObject({
      code: 'SANDBOX_REFUSED',
      details: { runtime: 'bubblewrap', problem: expect.stringContaining('none') },
    });
    expect(existsSync(join(directory, 'ran'))).toBe(false);
  });

  test('killing bubblewrap kills everything inside, and the result says that the sandbox died', async () => {
    const { script } = await openSandbox(setup);
    const nap = createNap();
    let pid = 0;
    const running = script(`(setsid sleep ${nap} &); trap "" TERM; while :; do sleep ${nap}; done`, {
      onStart: started => {
        pid = started;
      },
    });
    await eventually('both sleepers', () => findNapping(nap).length === 2);
    process.kill(pid, 'SIGKILL');
    expect(await running).toMatchObject({ sandboxDied: true, signal: 'SIGKILL', cancelled: false });
    expect(findNapping(nap)).toEqual([]);
  });

  test("pid 1 of the sandbox can't be stopped from inside", async () => {
    const { script } = await openSandbox(setup);
    const nap = createNap();
    const result = await script(`kill -STOP 1; kill -KILL 1; echo still here; exec sleep ${nap}`, {
      timeoutMs: 1000,
      graceMs: 100,
    });
    expect(result).toMatchObject({ timedOut: true });
    expect(textOf(result)).toBe('still here\n');
    expect(findNapping(nap)).toEqual([]);
  });

  test('only the three standard descriptors are visible inside', async () => {
    const { script } = await openSandbox(setup);
    const result = await script('for fd in /proc/self/fd/*; do readlink "$fd"; done | sort -u', {
      stdin: '',
    });
    const seen = textOf(result).split('\n').filter(Boolean);
    // Descriptors of the test itself are covered. readlink fails for the one that the shell uses to list them.
    expect(seen.filter(target => target !== '/dev/null' && !/^(pipe|socket):/.test(target))).toEqual([]);
    expect(seen.filter(target => /^(pipe|socket):/.test(target)).length).toBeLessThanOrEqual(4);
  });

  test('values of variables are not among the arguments, which every user can read', async () => {
    const { script } = await openSandbox(setup);
    const nap = createNap();
    const stop = new AbortController();
    const environment = { API_KEY: `secret-of-${nap}` };
    let pid = 0;
    const running = script(`echo "$API_KEY" | wc -c; exec sleep ${nap}`, {
      environment,
      signal: stop.signal,
      onStart: started => {
        pid = started;
      },
    });
    await eventually('the sleeper', () => findNapping(nap).length > 0);
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    stop.abort();
    expect(textOf(await running).trim()).toBe(String(environment.API_KEY.length + 1));
    expect(words).toContain('--args');
    expect(words).not.toContain(environment.API_KEY);
  });

  test("a NUL in a variable can't add options", async () => {
    const { script } = await openSandbox(setup);
    const running = script('true', { environment: { X: 'x\0--bind\0/\0/host' } });
    await expect(running).rejects.toMatchObject({ code: 'SANDBOX_REFUSED' });
  });

  test("an agent can't pass as another workspace", async () => {
    const [one, two] = [await openSandbox(setup), await openSandbox(setup)];
    const nap = createNap();
    const stop = new AbortController();
    const environment = { CARREL_SANDBOX_ID: `bubblewrap:${two.id}` };
    const running = one.script(`exec sleep ${nap}`, { environment, signal: stop.signal });
    await eventually('the sleeper', () => findNapping(nap).length > 0);
    expect(await one.runtime.list()).toContain(one.id);
    expect(await one.runtime.list()).not.toContain(two.id);
    await two.runtime.stop(two.id);
    expect(findNapping(nap)).toHaveLength(1);
    stop.abort();
    expect(await running).toMatchObject({ cancelled: true });
  });
});

describe.each([
  ['root', [] as readonly string[]],
  ['an ordinary user', AS_NOBODY],
])('a Carrel of %s', (_name, launcher) => {
  const start = useBubblewrapPrograms(launcher);

  test('that is killed leaves nothing running', async () => {
    const nap = createNap();
    const program = start(
      `const sandbox = await runtime.open('ws_killed', policy);
       await sandbox.run({ command: ['sh', '-c', args[0]] });`,
      `(setsid sleep ${nap} &); trap "" TERM; while :; do sleep ${nap}; done`,
    );
    await eventually('both sleepers', () => findNapping(nap).length === 2);
    program.kill();
    await eventually('the end of both', () => findNapping(nap).length === 0);
  });

  test('pauses, lists and stops what another one has started', async () => {
    const nap = createNap();
    const id = `ws_other${nap.slice(4)}`;
    const worker = start(
      `const sandbox = await runtime.open(args[0], policy);
       const result = await sandbox.run({ command: ['sh', '-c', args[1]] });
       print('ended ' + JSON.stringify({ died: result.sandboxDied }));`,
      id,
      `exec sleep ${nap}`,
    );
    await eventually('the sleeper', () => findNapping(nap).length === 1);
    const other = start(
      `const sandbox = await runtime.open(args[0], policy);
       await sandbox.pause();
       print('halted ' + (await runtime.list()).includes(args[0]));
       await go();
       await sandbox.resume();
       await runtime.stop(args[0]);
       print('left ' + (await runtime.list()).includes(args[0]));`,
      id,
    );
    expect(await other.printed('halted')).toBe('true');
    const [pid] = findNapping(nap);
    expect(readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) T /);
    other.go();
    expect(await other.printed('left')).toBe('false');
    expect(await worker.printed('ended')).toBe('{"died":true}');
    expect(findNapping(nap)).toEqual([]);
  });
});

test('a bwrap of the workspace is not used, even when PATH names it first', async () => {
  const { directory, script } = await openSandbox(async () => makeBubblewrapPlace());
  writeFileSync(join(directory, 'bwrap'), '#!/bin/sh\ntouch stolen\n', { mode: 0o755 });
  const result = await script('echo inside', { environment: { PATH: `${directory}:/usr/bin:/bin` } });
  expect(textOf(result)).toBe('inside\n');
  expect(existsSync(join(directory, 'stolen'))).toBe(false);
});

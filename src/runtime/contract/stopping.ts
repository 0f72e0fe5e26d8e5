import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox, type RuntimeSetup, textOf } from './subject.js';
import { createNap, eventually, findNapping } from './traces.js';

export function stoppingContract(setup: RuntimeSetup): void {
  test('at the time limit of a command everything is killed, including what ignores SIGTERM', async () => {
    const { script } = await openSandbox(setup);
    const nap = createNap();
    const stubborn = `trap "" TERM; sleep ${nap} & echo ready; while :; do sleep ${nap}; done`;
    const result = await script(stubborn, { timeoutMs: 1500, graceMs: 100 });
    expect(result).toMatchObject({ timedOut: true, cancelled: false });
    expect(result.exitCode).not.toBe(0);
    expect(textOf(result)).toBe('ready\n');
    expect(findNapping(nap)).toEqual([]);
    expect(result.survivors).toBeUndefined();
  });

  test('the time limit of the policy is named', async () => {
    const { script } = await openSandbox(setup, () => ({ limits: { time: 500 } }));
    const nap = createNap();
    const result = await script(`exec sleep ${nap}`, { graceMs: 0 });
    expect(result).toMatchObject({ timedOut: true, limit: 'time' });
    expect(findNapping(nap)).toEqual([]);
  });

  test('a cancelled command is killed, with the daemon that it left running', async context => {
    const { directory, script } = await openSandbox(setup);
    if ((await script('command -v setsid')).exitCode !== 0) context.skip('setsid');
    const stop = new AbortController();
    const nap = createNap();
    const daemon = `(setsid sh -c 'sleep ${nap}' </dev/null >/dev/null 2>&1 &) ; echo ready; exec sleep ${nap}`;
    const result = await script(daemon, {
      signal: stop.signal,
      graceMs: 100,
      environment: { CARREL_COMMAND_ID: `contract-${nap}` },
      onOutput: () => void eventually('both', () => findNapping(nap).length > 1).finally(() => stop.abort()),
    });
    expect(result).toMatchObject({ cancelled: true, timedOut: false });
    expect(findNapping(nap)).toEqual([]);
    expect(existsSync(directory)).toBe(true);
  });

  test('a command may exit by itself within the grace period', async () => {
    const { directory, script } = await openSandbox(setup);
    const stop = new AbortController();
    const nap = createNap();
    const polite = `trap 'echo bye; touch ended; exit 7' TERM; echo up; sleep ${nap} & wait`;
    const result = await script(polite, {
      signal: stop.signal,
      graceMs: 30_000,
      onOutput: () => stop.abort(),
    });
    expect(result).toMatchObject({ cancelled: true, exitCode: 7 });
    expect(textOf(result)).toBe('up\nbye\n');
    expect(existsSync(join(directory, 'ended'))).toBe(true);
    expect(findNapping(nap)).toEqual([]);
  });

  test('a command that has stopped itself can be killed', async () => {
    const { script } = await openSandbox(setup);
    const stop = new AbortController();
    const result = await script('echo ready; kill -STOP $$', {
      signal: stop.signal,
      graceMs: 100,
      onOutput: () => stop.abort(),
    });
    expect(result).toMatchObject({ cancelled: true });
  });

  test('a process on the host represents the command while it runs', async () => {
    const { directory, script } = await openSandbox(setup);
    const pids: number[] = [];
    const wait = 'echo ready; while [ ! -e go ]; do sleep 0.02; done';
    const result = await script(wait, {
      onStart: pid => pids.push(pid),
      onOutput: () => {
        expect(() => process.kill(pids[0] ?? 0, 0)).not.toThrow();
        void script(`touch ${join(directory, 'go')}`);
      },
    });
    expect(result.exitCode).toBe(0);
    expect(pids).toHaveLength(1);
  });

  test('leftover processes are killed with the command or are there for the next one, as declared', async context => {
    const { runtime, id, script } = await openSandbox(setup);
    if ((await script('command -v setsid')).exitCode !== 0) context.skip('setsid');
    const nap = createNap();
    await script(`setsid sleep ${nap} </dev/null >/dev/null 2>&1 & echo ready`);
    expect(findNapping(nap).length > 0).toBe(runtime.capabilities.longLived);
    await runtime.stop(id);
    expect(findNapping(nap)).toEqual([]);
  });
}

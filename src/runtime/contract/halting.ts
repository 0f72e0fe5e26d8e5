import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openSandbox, type RuntimeSetup, type RuntimeSubject } from './subject.js';
import { createNap, eventually, findNapping, isThere } from './traces.js';

export function haltingContract(setup: RuntimeSetup): void {
  test('pausing stops everything until it is resumed, unnoticed by the command', async () => {
    const subject = await openSandbox(setup);
    const running = startTicking(subject);
    await eventually('the first tick', isThere(join(subject.directory, 'ticks')));
    for (let round = 0; round < 3; round++) {
      await subject.sandbox.pause();
      await subject.sandbox.pause();
      await expectQuiet(subject);
      await subject.sandbox.resume();
      await subject.sandbox.resume();
      await expectTicking(subject);
    }
    await stopTicking(subject);
    expect(await running).toMatchObject({ exitCode: 0 });
  });

  test('what another process has started can be paused, listed and resumed', async () => {
    const subject = await openSandbox(setup);
    const running = startTicking(subject);
    await eventually('the first tick', isThere(join(subject.directory, 'ticks')));
    expect(await subject.other.list()).toContain(subject.id);
    const other = await subject.other.open(subject.id, subject.policy);
    await other.pause();
    await expectQuiet(subject);
    await other.resume();
    await expectTicking(subject);
    await stopTicking(subject);
    expect(await running).toMatchObject({ exitCode: 0 });
  });

  test('a paused command can be cancelled', async () => {
    const { sandbox, script } = await openSandbox(setup);
    const stop = new AbortController();
    const nap = createNap();
    const running = script(`exec sleep ${nap}`, { signal: stop.signal, graceMs: 100 });
    await eventually('the sleeper', () => findNapping(nap).length > 0);
    await sandbox.pause();
    stop.abort();
    expect(await running).toMatchObject({ cancelled: true });
    await sandbox.resume();
    // The signal reached it while it was paused; it dies when it continues.
    await eventually('its end', () => findNapping(nap).length === 0);
  });

  test('stopping kills all commands of all processes, also paused ones, and they have a result', async context => {
    const { id, other, sandbox, script } = await openSandbox(setup);
    if ((await script('command -v setsid')).exitCode !== 0) context.skip('setsid');
    const nap = createNap();
    const stubborn = `trap "" TERM; (setsid sleep ${nap} &); while :; do sleep ${nap}; done`;
    const running = [script(stubborn), script(stubborn)];
    await eventually('four sleepers', () => findNapping(nap).length === 4);
    await sandbox.pause();
    await other.stop(id);
    expect(findNapping(nap)).toEqual([]);
    for (const result of await Promise.all(running)) {
      expect(result).toMatchObject({ timedOut: false, cancelled: false });
      expect(result.exitCode).not.toBe(0);
    }
    expect(await other.list()).not.toContain(id);
  });

  test('stopping one workspace leaves its neighbour alone', async () => {
    const [one, two] = [await openSandbox(setup), await openSandbox(setup)];
    const running = startTicking(two);
    await eventually('the first tick', isThere(join(two.directory, 'ticks')));
    await one.runtime.stop(one.id);
    await expectTicking(two);
    await stopTicking(two);
    expect(await running).toMatchObject({ exitCode: 0 });
  });
}

/** Writes a byte again and again, through new processes, until there is a file `enough`. */
const startTicking = ({ script }: RuntimeSubject) =>
  script('while [ ! -e enough ]; do printf . >> ticks; sleep 0.01; done');

/** Another command could be paused as well, so the host stops it. */
async function stopTicking({ script }: RuntimeSubject): Promise<void> {
  await script('touch enough');
}

const ticksOf = ({ directory }: RuntimeSubject): number => statSync(join(directory, 'ticks')).size;

/** Twenty checks, during which it would have written several times. */
async function expectQuiet(subject: RuntimeSubject): Promise<void> {
  const before = ticksOf(subject);
  for (let look = 0; look < 20; look++) {
    await delay(10);
    expect(ticksOf(subject)).toBe(before);
  }
  expect(readFileSync(join(subject.directory, 'ticks'), 'latin1')).toBe('.'.repeat(before));
}

async function expectTicking(subject: RuntimeSubject): Promise<void> {
  const before = ticksOf(subject);
  await eventually('another tick', () => ticksOf(subject) > before);
}

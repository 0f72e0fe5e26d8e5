import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { makeBubblewrapPlace } from '../../../test/helpers/sandbox/runtime.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { isCarrelError } from '../../domain/error/error.js';
import { continueAll, haltAll } from '../../exec/stop/halt-processes.js';
import { findSandboxRoots, listMembers } from '../../exec/stop/sandbox-processes.js';
import { openSandbox } from '../contract/subject.js';
import { createNap, eventually, findNapping, isThere } from '../contract/traces.js';

beforeEach(requireBubblewrap);

const setup = async () => makeBubblewrapPlace();

/** Each process starts the next one and ends, and every hundredth leaves a trace. */
const CHAIN = `
for my $link (1 .. 30000) {
  exit 0 if fork;
  if ($link % 100 == 0) { open(my $file, '>>', 'links'); print $file '.'; close($file); }
}
`;

thoroughTest('processes that keep forking are paused, or are reported as running', async () => {
  const { directory, sandbox, script, runtime, id } = await openSandbox(setup);
  const links = join(directory, 'links');
  const running = script('', { command: ['sh', '-c', 'perl -e "$0" & sleep 600', CHAIN] });
  await eventually('the first links', isThere(links));
  const outcome = await sandbox.pause().catch((error: unknown) => error);
  if (outcome === undefined) await expectQuiet(links);
  else expect(isCarrelError(outcome, 'SANDBOX_NOT_PAUSED')).toBe(true);
  await runtime.stop(id);
  expect(await running).toMatchObject({ sandboxDied: true });
  await expectQuiet(links);
});

test('every thread of a program is paused', async () => {
  const { id, sandbox, script } = await openSandbox(setup);
  const program = `
    const { Worker } = require('node:worker_threads');
    for (let i = 0; i < 3; i++) new Worker('for (;;) ;', { eval: true });
    console.log('up');
  `;
  const stop = new AbortController();
  let isUp = false;
  const running = script('', {
    command: [process.execPath, '-e', program],
    signal: stop.signal,
    graceMs: 0,
    onOutput: () => {
      isUp = true;
    },
  });
  await eventually('the program', () => isUp);
  await sandbox.pause();
  const states = listMembers(findSandboxRoots('bubblewrap', id)).flatMap(member => member.states);
  expect(states.length).toBeGreaterThan(6);
  expect(new Set(states)).toEqual(new Set(['T']));
  await sandbox.resume();
  stop.abort();
  expect(await running).toMatchObject({ cancelled: true });
});

test('after the timeout the processes that still run are reported', async () => {
  const { id, script } = await openSandbox(setup);
  const nap = createNap();
  const stop = new AbortController();
  const running = script(`exec sleep ${nap}`, { signal: stop.signal, graceMs: 0 });
  await eventually('the sleeper', () => findNapping(nap).length === 1);
  const find = () => findSandboxRoots('bubblewrap', id);
  const left = await haltAll(find, { limitMs: 0 });
  expect(left.map(({ pid }) => pid)).toEqual(expect.arrayContaining(findNapping(nap)));
  expect(await haltAll(find, { limitMs: 10_000 })).toEqual([]);
  continueAll(find());
  stop.abort();
  expect(await running).toMatchObject({ cancelled: true });
});

async function expectQuiet(file: string): Promise<void> {
  const before = sizeOf(file);
  for (let look = 0; look < 20; look++) {
    await delay(10);
    expect(sizeOf(file)).toBe(before);
  }
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

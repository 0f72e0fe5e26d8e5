import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { type SandboxPlace, sandboxPlace } from '../sandbox-place.js';
import { hasWaitingOwner, stopAbandonedCommands, withOwner } from './command-owners.js';

const self = identifyProcess(process.pid) as ProcessIdentity;
const dead = { ...self, startedAt: 'long ago' };

const makePlace = (): SandboxPlace => sandboxPlace(tempDir(), 'ws_a');

function leaveCommand(place: SandboxPlace, content = JSON.stringify(dead)): void {
  mkdirSync(join(place.root, 'commands'), { recursive: true });
  writeFileSync(join(place.root, 'commands', 'op_left'), content);
}

async function countEndings(place: SandboxPlace, during = async () => {}): Promise<number> {
  let endings = 0;
  await stopAbandonedCommands(place, self, async () => {
    endings += 1;
    await during();
  });
  return endings;
}

test('the process of a command in a sandbox is recorded while it runs, and not after success or failure', async () => {
  const place = makePlace();
  await withOwner(place, 'op_1', self, async () => {
    expect(await hasWaitingOwner(place)).toBe(true);
  });
  const failing = withOwner(place, 'op_2', self, async () => {
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await hasWaitingOwner(place)).toBe(false);
  expect(readdirSync(place.root)).toEqual(['commands']);
});

test('a command of a dead process is stopped once, and one with a truncated file too', async () => {
  for (const content of [JSON.stringify(dead), '{"pid":1', '']) {
    const place = makePlace();
    leaveCommand(place, content);
    expect(await countEndings(place)).toBe(1);
    expect(await countEndings(place)).toBe(0);
    expect(existsSync(join(place.root, 'ending'))).toBe(false);
  }
});

test('without leftovers, or while a process still waits, nothing is stopped', async () => {
  expect(await countEndings(makePlace())).toBe(0);
  const place = makePlace();
  await withOwner(place, 'op_1', self, async () => {
    leaveCommand(place);
    expect(await countEndings(place)).toBe(0);
  });
});

test('a new command waits while leftovers are being stopped', async () => {
  const place = makePlace();
  leaveCommand(place);
  const order: string[] = [];
  let arriving: Promise<void> | undefined;
  await stopAbandonedCommands(place, self, async () => {
    arriving = withOwner(place, 'op_1', self, async () => void order.push('runs'));
    const file = join(place.root, 'commands', 'op_1');
    await waitFor('the other command', () => existsSync(file) || undefined);
    order.push('ended');
  });
  await arriving;
  expect(order).toEqual(['ended', 'runs']);
});

test('a cleanup interrupted by a crash blocks no command', async () => {
  const place = makePlace();
  leaveCommand(place);
  writeFileSync(join(place.root, 'ending'), JSON.stringify(dead));
  expect(await countEndings(place)).toBe(1);
});

test('while another process cleans up, no second one does', async () => {
  const place = makePlace();
  leaveCommand(place);
  let inner = -1;
  const outer = await countEndings(place, async () => {
    inner = await countEndings(place);
  });
  expect([outer, inner]).toEqual([1, 0]);
});

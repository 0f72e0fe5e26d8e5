import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { LONGEST_SILENCE_MS } from '../../domain/process-identity.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import {
  findLivingOwner,
  handOverOwnership,
  isOwnerGone,
  releaseOwnership,
  takeOwnership,
} from './owner-file.js';

test('of many processes that find a dead owner at once, one takes over', async () => {
  const self = identifyProcess(process.pid);
  if (!self) throw new Error('this process has an identity');
  const directory = tempDir();
  const file = join(directory, 'owner.json');
  for (const left of [JSON.stringify({ ...self, startedAt: 'another time' }), '']) {
    writeFileSync(file, left);
    const taken = await Promise.all(Array.from({ length: 8 }, () => takeOwnership(file, self)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(directory)).toEqual(['owner.json']);
    await releaseOwnership(file, self);
  }
});

test('a run handed to a process is owned by it before it is taken, and it is taken once', async () => {
  const self = identifyProcess(process.pid);
  const other = identifyProcess(process.ppid);
  if (!self || !other) throw new Error('this process and its parent have an identity');
  const directory = tempDir();
  const file = join(directory, 'owner.json');
  expect(handOverOwnership(file, self)).toBe(true);
  expect(handOverOwnership(file, other)).toBe(false);
  expect(await findLivingOwner(file)).toMatchObject(self);
  expect(await takeOwnership(file, other)).toBe(false);
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeOwnership(file, self)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await takeOwnership(file, self)).toBe(false);
  expect(readdirSync(directory)).toEqual(['owner.json']);
});

test('a run of another machine is taken over only after a long silence, and the loser releases nothing', async () => {
  const self = identifyProcess(process.pid);
  if (!self) throw new Error('this process has an identity');
  const file = join(tempDir(), 'owner.json');
  const far = { pid: 7, startedAt: '5', realm: 'another-boot pid:[1] another-machine' };
  expect(await takeOwnership(file, far)).toBe(true);
  const fallSilent = (ms: number) => {
    const at = (Date.now() - ms) / 1000;
    utimesSync(file, at, at);
  };
  fallSilent(LONGEST_SILENCE_MS - 60_000);
  expect(await findLivingOwner(file)).toMatchObject(far);
  expect(await takeOwnership(file, self)).toBe(false);
  fallSilent(LONGEST_SILENCE_MS + 60_000);
  expect(await isOwnerGone(file)).toBe(true);
  expect(await takeOwnership(file, self)).toBe(true);
  await releaseOwnership(file, far);
  expect(await findLivingOwner(file)).toMatchObject(self);
});

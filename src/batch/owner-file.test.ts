import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { identifyProcess } from '../exec/process-identity.js';
import { findLivingOwner, giveUpOwnership, leaveOwnership, takeOwnership } from './owner-file.js';

test('of many that find a dead owner at once, one takes its place', async () => {
  const self = identifyProcess(process.pid);
  if (!self) throw new Error('this process has an identity');
  const directory = tempDir();
  const file = join(directory, 'owner.json');
  for (const left of [JSON.stringify({ ...self, startedAt: 'another time' }), '']) {
    writeFileSync(file, left);
    const taken = await Promise.all(Array.from({ length: 8 }, () => takeOwnership(file, self)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(directory)).toEqual(['owner.json']);
    await giveUpOwnership(file);
  }
});

test('what is left to a process is its own before it takes it, and it takes it once', async () => {
  const self = identifyProcess(process.pid);
  const other = identifyProcess(process.ppid);
  if (!self || !other) throw new Error('this process and its parent have an identity');
  const directory = tempDir();
  const file = join(directory, 'owner.json');
  expect(leaveOwnership(file, self)).toBe(true);
  expect(leaveOwnership(file, other)).toBe(false);
  expect(await findLivingOwner(file)).toMatchObject(self);
  expect(await takeOwnership(file, other)).toBe(false);
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeOwnership(file, self)));
  expect(taken.filter(Boolean)).toHaveLength(1);
  expect(await takeOwnership(file, self)).toBe(false);
  expect(readdirSync(directory)).toEqual(['owner.json']);
});

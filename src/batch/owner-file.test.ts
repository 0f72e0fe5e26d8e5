import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { identifyProcess } from '../exec/process-identity.js';
import { giveUpOwnership, takeOwnership } from './owner-file.js';

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

import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { moveAside } from './move-aside.js';

test('moves a directory that its owner cannot write, as a user other than root', () => {
  const place = tempDir();
  writeFiles(place, { 'tree/closed/mine.txt': 'mine\n' });
  chmodSync(join(place, 'tree/closed'), 0o555);
  const files = { foreign: ['closed'], touched: [], restored: new Set<string>() };
  asOrdinaryUser(place, () => moveAside(join(place, 'tree'), join(place, 'aside'), files));
  expect(readFileSync(join(place, 'aside/tree/closed/mine.txt'), 'utf8')).toBe('mine\n');
  expect(statSync(join(place, 'aside/tree/closed')).mode & 0o777).toBe(0o555);
});

/** Root may write everywhere. */
function asOrdinaryUser(directory: string, action: () => void): void {
  const isRoot = process.getuid?.() === 0;
  const nobody = 65534;
  if (isRoot) {
    execFileSync('chown', ['-R', `${nobody}`, directory]);
    process.seteuid?.(nobody);
  }
  try {
    action();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

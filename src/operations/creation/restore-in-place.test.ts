import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { makeWorkspaceSite } from '../../../test/helpers/workspace/workspace-site.js';
import { putBack } from './restore-in-place.js';

test('a restore in place that fails leaves no folder, and the next one works', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  const root = dirname(dirname(record.path));
  rmSync(root, { recursive: true });
  const onStep = (_: string, step: string) => {
    if (step === 'filled') throw new Error('no space');
  };
  await expect(putBack({ ...app, onStep }, record, undefined)).rejects.toThrow('no space');
  expect(existsSync(root)).toBe(false);
  await putBack(app, record, undefined);
  expect(existsSync(record.path)).toBe(true);
});

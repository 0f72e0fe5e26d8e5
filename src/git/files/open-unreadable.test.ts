import { spawnSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { openUnreadable } from './open-unreadable.js';

// Permissions, which don't apply to root, are tested in test/e2e/crash/bad-row.test.ts.

test('finds what is too large or too deep for a snapshot, and nothing else', () => {
  const root = tempDir();
  writeFiles(root, { 'plain/file': 'x', huge: '' });
  truncateSync(join(root, 'huge'), 2 ** 40);
  const name = 'x'.repeat(200);
  const dig = `i=0; while [ $i -lt 25 ]; do mkdir ${name} && cd -P ${name} || exit 1; i=$((i+1)); done; echo x > file`;
  expect(spawnSync('sh', ['-c', dig], { cwd: root }).status).toBe(0);
  const { modes, leftOut } = openUnreadable(root);
  // It can't be deleted by its full path.
  expect(spawnSync('rm', ['-r', join(root, name)]).status).toBe(0);
  expect(modes).toEqual(new Map());
  const [deep, ...others] = [...leftOut.keys()].filter(path => path !== 'huge');
  expect(deep).toMatch(/^(x{200}\/){10,}x{200}$/);
  expect(others).toEqual([]);
  expect([...leftOut.values()].map(({ bytes, reason }) => ({ bytes, reason }))).toEqual([
    { bytes: 2 ** 40, reason: 'it is too large for a snapshot' },
    { bytes: 0, reason: "it can't be read (ENAMETOOLONG)" },
  ]);
});

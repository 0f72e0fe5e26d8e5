import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { presetAgent } from '../../test/helpers/call-agent.js';
import { makeWorkspaceSite } from '../../test/helpers/workspace-site.js';
import { clearLitter } from './clear-litter.js';

test('what a program keeps for itself in the working tree goes, and nothing else does', async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  mkdirSync(join(record.path, '.aider.tags.cache.v4'));
  writeFileSync(join(record.path, '.aider.tags.cache.v4/cache.db'), 'binary');
  writeFileSync(join(record.path, 'work.txt'), 'work');
  const before = readdirSync(record.path);
  await clearLitter(app, record, presetAgent('claude'));
  expect(readdirSync(record.path)).toEqual(before);
  await clearLitter(app, record, presetAgent('aider'));
  expect(readdirSync(record.path)).toEqual(before.filter(name => name !== '.aider.tags.cache.v4'));
});

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { presetAgent } from '../../test/helpers/agent/call-agent.js';
import { makeWorkspaceSite } from '../../test/helpers/workspace/workspace-site.js';
import { openEnvironment } from '../operations/command/workspace-environment.js';
import { removeAgentLeftovers } from './remove-agent-leftovers.js';

test("removes the agent program's own files from the working tree, and nothing else", async () => {
  const { app, record } = await makeWorkspaceSite('worktree');
  mkdirSync(join(record.path, '.aider.tags.cache.v4'));
  writeFileSync(join(record.path, '.aider.tags.cache.v4/cache.db'), 'binary');
  writeFileSync(join(record.path, 'work.txt'), 'work');
  const environment = openEnvironment(app, record);
  const before = readdirSync(record.path);
  await removeAgentLeftovers(environment, presetAgent('claude'));
  expect(readdirSync(record.path)).toEqual(before);
  await removeAgentLeftovers(environment, presetAgent('aider'));
  expect(readdirSync(record.path)).toEqual(before.filter(name => name !== '.aider.tags.cache.v4'));
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { connectMcp, textOf } from '../../helpers/server/mcp-client.js';
import { startTestServer } from '../../helpers/server/test-server.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

test('reset over HTTP and with the client names the risks, and does not let a request approve commands', async () => {
  const repository = makeRepository();
  const { client, fetch } = await startTestServer({ repository });
  const { id, path } = await client.workspaces.create({ name: 'one', isolation: 'worktree' });
  writeFiles(path, { 'new.txt': 'new\n' });
  await expect(client.workspaces.reset(id)).rejects.toMatchObject({
    code: 'RESET_REFUSED',
    problem: { status: 409, details: { risks: [{ kind: 'untracked', flag: '--discard-changes' }] } },
  });
  const trusting = await fetch(`/api/workspaces/${id}/reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ trust: true }),
  });
  expect(trusting.status).toBe(400);
  const { snapshot } = await client.workspaces.reset(id, { discardChanges: true });
  expect(existsSync(join(path, 'new.txt'))).toBe(false);
  const before = await client.snapshots.restore(snapshot, { as: 'before' });
  expect(existsSync(join(before.path, 'new.txt'))).toBe(true);
});

thoroughTest('over MCP a refusal names the arguments, in the own repository alone', async () => {
  const [carrel, repository, other] = [createTidyCarrel(), makeRepository(), makeRepository()];
  const { id } = carrel.json<Workspace>(other, 'up', 'theirs');
  await using mcp = await connectMcp(carrel, repository);
  const { path } = await mcp.call<Workspace>('workspace_create', { name: 'one' });
  writeFiles(path, { 'new.txt': 'new\n' });
  const refused = await mcp.ask('workspace_reset', { workspace: 'one' });
  expect(refused.structuredContent).toMatchObject({
    reset: null,
    refused: { risks: [{ kind: 'untracked', acceptedBy: 'discardChanges' }] },
  });
  expect(existsSync(join(path, 'new.txt'))).toBe(true);
  const done = await mcp.call('workspace_reset', { workspace: 'one', discardChanges: true });
  expect(done).toMatchObject({ reset: { name: 'one', path }, refused: null });
  expect(existsSync(join(path, 'new.txt'))).toBe(false);
  expect(textOf(await mcp.ask('workspace_reset', { workspace: id }))).toContain('WORKSPACE_NOT_FOUND');
});

thoroughTest('in a program', async () => {
  const [{ env }, repository] = [createTidyCarrel(), makeRepository()];
  const carrel = await openLibrary({ repository, environment: env });
  onTestFinished(() => carrel.close());
  const { path } = await carrel.workspaces.create({ name: 'one' });
  writeFiles(path, { 'new.txt': 'new\n' });
  await expect(carrel.workspaces.reset('one')).rejects.toMatchObject({ code: 'RESET_REFUSED' });
  expect(await carrel.workspaces.reset('one', { discardChanges: true })).toMatchObject({ name: 'one' });
  expect(existsSync(join(path, 'new.txt'))).toBe(false);
});

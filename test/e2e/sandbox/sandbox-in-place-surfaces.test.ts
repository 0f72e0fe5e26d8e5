import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app.js';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createWorkspace } from '../../../src/operations/workspace/create.operation.js';
import type { Carrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { connectMcp } from '../../helpers/server/mcp-client.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { createTidyCarrel, DESK_FILES } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// A directory in place in a sandbox: the same operation over HTTP, over MCP and from a program.

beforeEach(requireBubblewrap);

const EXPECTED = { backend: 'direct', branch: 'carrel/a', isolation: { effective: 'full' } };

function makeSite(): { carrel: Carrel; repository: string } {
  const [carrel, repository] = [createTidyCarrel(), makeRepository(DESK_FILES)];
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'sandbox:\n  runtime: bubblewrap\n' });
  return { carrel, repository };
}

thoroughTest('over HTTP it is the directory of the repository, in a sandbox', async () => {
  const { carrel, repository } = makeSite();
  const { client, stop } = await serveCarrel(carrel, repository, '--port', '0');
  const made = await client.workspaces.create({
    repository,
    name: 'a',
    isolation: 'full',
    form: { kind: 'direct' },
  });
  expect(made).toMatchObject({ ...EXPECTED, path: repository });
  carrel.ok(
    repository,
    'exec',
    'a',
    '--',
    'sh',
    '-ec',
    'test "$CARREL_SANDBOX" = 1; git commit -q --allow-empty -m in',
  );
  expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('in');
  await stop();
});

test('an agent over MCP gets the directory of the user only in a sandbox, and runs commands there', async () => {
  const { carrel, repository } = makeSite();
  const { head, index, config } = fingerprint(repository);
  await using mcp = await connectMcp(carrel, repository);
  const made = await mcp.call<Workspace>('workspace_create', { name: 'a', form: { kind: 'direct' } });
  expect(made).toMatchObject({ ...EXPECTED, path: repository, isolation: { requested: 'full' } });
  const command = 'echo $CARREL_SANDBOX >seen.txt; git config a.b c';
  expect(await mcp.call('workspace_exec', { workspace: 'a', command })).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(repository, 'seen.txt'), 'utf8')).toBe('1\n');
  expect(fingerprint(repository)).toMatchObject({ head, index, config });
  carrel.ok(repository, 'up', 'plain', '--workspace', '.');
  expect((await mcp.ask('workspace_exec', { workspace: 'plain', command })).isError).toBe(true);
});

thoroughTest('a program gets it by the same operation', async () => {
  const { carrel, repository } = makeSite();
  const app = await openApp({ environment: carrel.env, cwd: repository });
  try {
    const form = { kind: 'direct' } as const;
    const request = { name: 'a', isolation: 'full', strict: true, form } as const;
    const made = await createWorkspace.run({ context: app, repository }, request);
    expect(made).toMatchObject({ ...EXPECTED, path: repository });
  } finally {
    await app.close();
  }
});

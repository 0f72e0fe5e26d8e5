import { expect, test } from 'vitest';
import { makeRepository } from '../../../../test/helpers/repository.js';
import { startTestServer } from '../../../../test/helpers/server/test-server.js';
import { cleanUpRemote } from './remote-cleanup.js';

const YEAR_MS = 365 * 86_400_000;

test('removes nothing when the clock disagrees with the newest record of the server', async () => {
  const { client } = await startTestServer({ repository: makeRepository() });
  await client.workspaces.create({ name: 'a', isolation: 'worktree' });
  const order = { repository: undefined, olderThanMs: 0, execute: true, signal: AbortSignal.timeout(60_000) };
  for (const now of [Date.now() + 2 * YEAR_MS, Date.now() - YEAR_MS])
    await expect(cleanUpRemote(client, { ...order, now })).rejects.toMatchObject({ code: 'CLOCK_DISAGREES' });
  expect(await client.workspaces.list({ fast: true })).toHaveLength(1);
  const { items } = await cleanUpRemote(client, {
    ...order,
    now: Date.now() + 2 * YEAR_MS,
    trustClock: true,
  });
  expect(items).toMatchObject([{ name: 'a', outcome: 'removed' }]);
});

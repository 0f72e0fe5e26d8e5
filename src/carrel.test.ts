import { expect, test } from 'vitest';
import { createCarrel as createSite } from '../test/helpers/carrel.js';
import { makeRepository } from '../test/helpers/repository.js';
import { createCarrel } from './carrel.js';

test('whoever follows what happens is told the end, and nothing else, when it is closed', async () => {
  const { env: environment } = createSite();
  const carrel = await createCarrel({ repository: makeRepository(), environment });
  const types: string[] = [];
  const following = (async () => {
    for await (const { type } of carrel.events()) types.push(type);
  })();
  await carrel.workspaces.create({ name: 'a', isolation: 'worktree' });
  await expect.poll(() => types).toContain('workspace.ready');
  await carrel.close();
  await expect(following).resolves.toBeUndefined();
});

import { expect, test } from 'vitest';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import { removeRecord, removeWorkspace } from '../removal/down.js';

test('a workspace that a task works in is removed only by the task itself', async () => {
  const site = await makeWorkSite();
  const { app, repository } = site;
  const record = await site.up('a');
  await site.task(record, { status: 'running', owner: app.self });
  const accepted = { discardChanges: true, stopProcesses: true };
  await expect(removeWorkspace(app, { repository, name: 'a', accepted })).rejects.toMatchObject({
    code: 'REMOVAL_REFUSED',
    details: { risks: [{ kind: 'leased' }] },
  });
  const order = { accepted: {}, reason: 'land', forOwnTask: true } as const;
  expect(await removeRecord(app, record, order)).toMatchObject({ name: 'a', warnings: [] });
});

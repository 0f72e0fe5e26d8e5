import { expect, test } from 'vitest';
import { commitFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import { findTask } from '../record/find-task.js';
import { diffTask } from './diff-task.js';

test('a diff that is read while the workspace of the task is removed comes from its branch', async () => {
  const { app, up, task } = await makeWorkSite();
  const record = await up('a');
  commitFiles(record.path, { 'two.txt': 'two\n' });
  const { id } = await task(record);
  await app.store.workspaces.update(record.id, 'ready', { status: 'removing' }, []);
  const chunks: Buffer[] = [];
  await diffTask(app, await findTask(app, id), chunk => void chunks.push(chunk));
  expect(Buffer.concat(chunks).toString('utf8')).toContain('+two');
  await app.store.workspaces.update(record.id, 'removing', { status: 'ready' }, []);
});

import { expect, it } from 'vitest';
import { makeRepository } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { startTestServer } from '../helpers/server/test-server.js';

it('makes and renames a workspace with forms that have every field of the operation', async context => {
  const repository = makeRepository({ 'README.md': 'hello\n' });
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  await visit(context, server, async ({ page, checkAccessibility, expectComplaint }) => {
    expectComplaint('/api/workspaces');
    await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
    await page.getByRole('heading', { name: 'Workspaces', level: 1 }).waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('no such name!');
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Make the workspace' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Name').fill('login');
    await dialog.getByLabel('Branch').fill('feature/login');
    await dialog.getByLabel('Isolation', { exact: true }).selectOption('worktree');
    await dialog.getByLabel('Skip the repository').check();
    await dialog.getByRole('button', { name: 'Make the workspace' }).click();
    await page.getByRole('heading', { name: 'login', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Rename…' }).click();
    await page.getByRole('dialog').getByLabel('New name').fill('sign-in');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'sign-in', level: 1 }).waitFor();
  });
  const [made, ...others] = await server.client.workspaces.list();
  expect(made).toMatchObject({
    name: 'sign-in',
    branch: 'feature/login',
    isolation: { requested: 'worktree', effective: 'worktree' },
  });
  expect(others).toEqual([]);
});

import { it } from 'vitest';
import { DASHBOARD, visit } from '../helpers/browser.js';
import { makeRepository } from '../helpers/repository.js';
import { startTestServer } from '../helpers/test-server.js';

it('shows every page without a complaint of the browser or of axe', async context => {
  const repository = makeRepository();
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  const desk = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  await server.client.workspaces.snapshot(desk.id, { message: 'before lunch' });
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.getByText('No task is running').waitFor();
    await checkAccessibility();
    await page.getByText('Dark', { exact: true }).click();
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByText('Auto', { exact: true }).click();
    await page.goto(`${server.url}/snapshots`);
    await page.getByRole('button', { name: 'desk' }).click();
    await page.getByRole('dialog').getByLabel('Name of the new workspace').fill('second-desk');
    await checkAccessibility();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'second-desk' }).waitFor();
    await page.goto(`${server.url}/doctor`);
    await page.getByRole('listitem').filter({ hasText: 'git' }).first().waitFor();
    await checkAccessibility();
    await page.goto(`${server.url}/configuration?filter=pool.size`);
    await page.getByRole('row', { name: 'pool.size' }).waitFor();
    await checkAccessibility();
    await page.goto(`${server.url}/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await checkAccessibility();
  });
});

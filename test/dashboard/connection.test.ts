import { expect, it } from 'vitest';
import { DASHBOARD, visit } from '../helpers/browser.js';
import { makeRepository } from '../helpers/repository.js';
import { startTestServer } from '../helpers/test-server.js';

it('tells of a lost server and goes on by itself when it is back', async context => {
  const repository = makeRepository();
  const settings = { dashboardDirectory: DASHBOARD };
  const first = await startTestServer({ repository, settings });
  await visit(context, first, async ({ page, checkAccessibility, expectComplaint }) => {
    await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
    await page.getByText('carrel up NAME').waitFor();
    expectComplaint('ERR_');
    expectComplaint('503');
    await first.stop();
    await page.getByText('No answer from the server.').waitFor();
    await checkAccessibility();

    const port = Number(new URL(first.url).port);
    const second = await startTestServer({
      repository,
      carrel: first.carrel,
      settings: { ...settings, port },
    });
    await page.getByText('No answer from the server.').waitFor({ state: 'hidden' });
    await second.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
    await page.getByRole('link', { name: 'desk' }).waitFor();
  });
});

it('says how to sign in again when the session is over', async context => {
  const repository = makeRepository();
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  await visit(context, server, async ({ page, checkAccessibility, expectComplaint }) => {
    await page.getByText('No task is running').waitFor();
    expectComplaint('401');
    await page.context().clearCookies();
    await page.reload();
    await page.getByText('carrel dashboard').waitFor();
    await checkAccessibility();
    await page.goto(server.server.createLoginLink());
    await page.getByText('No task is running').waitFor();
    expect(await page.getByText('carrel dashboard').count()).toBe(0);
  });
});

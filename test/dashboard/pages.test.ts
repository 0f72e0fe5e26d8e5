import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { thoroughTest } from '../helpers/flavours.js';
import { makeRepository } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { makeScriptedTasks } from '../helpers/task/scripted-tasks.js';

it('shows every page without browser errors or axe violations', async context => {
  const repository = makeRepository();
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  const fixture = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  await server.client.workspaces.snapshot(fixture.id, { message: 'before lunch' });
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.getByText('No task is running').waitFor();
    await checkAccessibility();
    await page.getByText('Dark', { exact: true }).click();
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor();
    await page.getByText('Auto', { exact: true }).click();
    await page.goto(`${dashboardUrlOf(server.url)}/snapshots`);
    await page.getByRole('button', { name: 'desk' }).click();
    await page.getByRole('dialog').getByLabel('Name of the new workspace').fill('second-desk');
    await checkAccessibility();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'second-desk' }).waitFor();
    await page.goto(`${dashboardUrlOf(server.url)}/doctor`);
    await page.getByRole('listitem').filter({ hasText: 'git' }).first().waitFor();
    await checkAccessibility();
    await page.goto(`${dashboardUrlOf(server.url)}/configuration?filter=pool.size`);
    await page.getByRole('row', { name: 'pool.size' }).waitFor();
    await checkAccessibility();
    await page.goto(`${dashboardUrlOf(server.url)}/nowhere`);
    await page.getByText('There is no such page').waitFor();
    await checkAccessibility();
  });
});

/** Ends when the test says so, or on its own when the test has failed. */
const WAIT = 'for turn in $(seq 300); do test -e "$TALLY.gate" && exit 0; sleep 0.1; done; exit 1';

thoroughTest('shows a task while it runs and after it has ended, without a reload', async context => {
  const { repository, carrel } = makeScriptedTasks({
    agents: { planner: 'echo planned', builder: WAIT },
    stages: [
      { name: 'plan', agent: 'planner' },
      { name: 'build', agent: 'builder' },
    ],
    workflow: { isolation: 'worktree' },
  });
  const server = await startTestServer({
    repository,
    carrel,
    settings: { dashboardDirectory: DASHBOARD },
  });
  await server.client.pool.warm({ count: 1 });
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.getByRole('img', { name: /^Pool of repo: .*free 1/ }).waitFor();
    const { id } = await server.client.tasks.create({ description: 'Round half cents up' });
    const active = page.getByRole('region', { name: 'Running and waiting' });
    await active.getByText('build, 1 of 2 done').waitFor();
    expect(await active.getByRole('link').getAttribute('href')).toBe(`/tasks/${id}`);
    await checkAccessibility();
    writeFileSync(join(carrel.home, 'tally.gate'), '');
    const recent = page.getByRole('region', { name: 'Recent' });
    await recent.getByText('succeeded').waitFor();
    await page.getByText('No task is running').waitFor();
    await checkAccessibility();
  });
  await server.client.pool.drain();
});

thoroughTest(
  'reports a lost server, keeps typed text, and reconnects when the server is back',
  async context => {
    const repository = makeRepository();
    const settings = { dashboardDirectory: DASHBOARD };
    const first = await startTestServer({ repository, settings });
    await visit(context, first, async ({ page, checkAccessibility, expectComplaint }) => {
      await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
      await page.getByText('carrel up NAME').waitFor();
      expectComplaint('ERR_');
      expectComplaint('503');
      await first.stop();
      await page.getByText('The server does not respond.').waitFor();
      await checkAccessibility();
      await page.getByRole('link', { name: 'Tasks' }).click();
      await page.getByRole('button', { name: 'New task…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Description').fill('Fix the fence');
      await dialog.getByPlaceholder(repository).fill('/etc');

      const port = Number(new URL(first.url).port);
      const second = await startTestServer({
        repository,
        carrel: first.carrel,
        settings: { ...settings, port },
      });
      await page.getByText('The server does not respond.').waitFor({ state: 'hidden' });
      expectComplaint('/api/tasks');
      await dialog.getByRole('button', { name: 'Start the task' }).click();
      await dialog.getByText('REPOSITORY_NOT_ALLOWED').waitFor();
      expect(await dialog.getByLabel('Description').inputValue()).toBe('Fix the fence');
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
      await second.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
      await page.getByRole('link', { name: 'desk' }).waitFor();
    });
  },
);

thoroughTest('says how to sign in again when the session is over', async context => {
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

import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DASHBOARD, visit } from '../helpers/browser.js';
import { commitFiles, git, makeRepository, writeFiles } from '../helpers/repository.js';
import { startTestServer } from '../helpers/test-server.js';

async function startSite(files: Record<string, string> = {}) {
  const repository = makeRepository({ 'README.md': 'hello\n', ...files });
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  return { repository, server };
}

it('spells out what a removal would lose, removes once each is accepted, and undoes it', async context => {
  const { repository, server } = await startSite({ '.gitignore': '*.bin\n' });
  writeFiles(server.carrel.home, { 'config/carrel/config.yaml': 'snapshots: { ignoredLimit: 1kB }\n' });
  const desk = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  writeFiles(desk.path, { 'unsaved notes.txt': 'precious\n', 'weights.bin': 'x'.repeat(5000) });
  await visit(context, server, async ({ page, checkAccessibility, expectComplaint }) => {
    expectComplaint(`/api/workspaces/${desk.id}`);
    await page.getByRole('link', { name: 'Workspaces', exact: true }).click();
    await page.getByRole('link', { name: 'desk' }).click();
    await page.getByRole('heading', { name: 'desk', level: 1 }).waitFor();
    await page.getByText('+precious').waitFor();
    await checkAccessibility();

    await page.getByRole('button', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('unsaved notes.txt', { exact: true }).waitFor();
    const remove = dialog.getByRole('button', { name: 'Remove the workspace' });
    await dialog.getByText('too large for it are lost').waitFor();
    expect(await remove.isDisabled()).toBe(true);
    await checkAccessibility();
    await dialog.getByRole('checkbox').check();
    await remove.click();
    await dialog.getByText(/^snap_/).waitFor();
    expect(existsSync(desk.path)).toBe(false);

    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByRole('link', { name: 'desk' }).click();
    await page.getByText('+precious').waitFor();
  });
  const [restored] = await server.client.workspaces.list();
  expect(restored).toMatchObject({ name: 'desk', changes: { untracked: 1 } });
  expect(git(repository, 'status', '--porcelain')).toBe('');
});

it('lands a workspace into a branch by the chosen strategy', async context => {
  const { repository, server } = await startSite();
  git(repository, 'branch', 'release');
  const desk = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  commitFiles(desk.path, { 'one.txt': '1\n' }, 'one');
  commitFiles(desk.path, { 'two.txt': '2\n' }, 'two');
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.goto(`${server.url}/workspaces/${desk.id}`);
    await page.getByRole('button', { name: 'Land…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Into').fill('release');
    await dialog.getByLabel('Strategy').selectOption('squash');
    await dialog.getByLabel('Message').fill('both at once');
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Land', exact: true }).click();
    await dialog.getByText('landed on').waitFor();
    await checkAccessibility();
  });
  expect(git(repository, 'log', '--format=%s', 'release')).toBe('both at once\nfirst');
});

it('shows what others do at once, filters by the address, and is used with keys alone', async context => {
  const { server } = await startSite();
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.getByText('No task is running').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.getByText('carrel up NAME').waitFor();
    await checkAccessibility();
    for (const name of ['alpha', 'beta', 'gamma'])
      await server.client.workspaces.create({ name, isolation: 'worktree' });
    await page.getByRole('link', { name: 'gamma' }).waitFor();
    await checkAccessibility();

    await page.keyboard.press('/');
    await page.keyboard.type('a');
    await page.getByText('3 workspaces').waitFor();
    await page.keyboard.type('lpha');
    await page.getByText('1 of 3 workspaces').waitFor();
    expect(new URL(page.url()).search).toBe('?filter=alpha');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: 'Name' }).click();
    expect(new URL(page.url()).search).toBe('?sort=name');
    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('heading', { name: 'beta', level: 1 }).waitFor();

    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await checkAccessibility();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

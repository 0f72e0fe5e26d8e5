import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openApp } from '../../src/app.js';
import { sampleWorkspace } from '../../src/store/contract/sample-records.js';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { thoroughTest } from '../helpers/flavours.js';
import { commitFiles, git, makeRepository, writeFiles } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { startTestServer, type TestServer } from '../helpers/server/test-server.js';

async function startSite(files: Record<string, string> = {}) {
  const repository = makeRepository({ 'README.md': 'hello\n', ...files });
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  return { repository, server };
}

it('lists what a removal would lose, asks again when that has changed, removes once each risk is accepted, and undoes it', async context => {
  const { repository, server } = await startSite({ '.gitignore': '*.bin\n' });
  writeFiles(server.carrel.home, { 'config/carrel/config.yaml': 'snapshots: { ignoredLimit: 1kB }\n' });
  const fixture = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  writeFiles(fixture.path, { 'unsaved notes.txt': 'precious\n', 'weights.bin': 'x'.repeat(5000) });
  await visit(context, server, async ({ page, checkAccessibility, expectComplaint }) => {
    expectComplaint(`/api/workspaces/${fixture.id}`);
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
    // A change between the question and the answer was not accepted.
    git(fixture.path, 'commit', '--quiet', '--allow-empty', '--message', 'a late commit');
    await remove.click();
    await dialog.getByText('Commits that have not landed').waitFor();
    expect(existsSync(fixture.path)).toBe(true);
    expect(await remove.isDisabled()).toBe(true);
    for (const box of await dialog.getByRole('checkbox').all()) await box.check();
    await remove.click();
    await dialog.getByText(/^snap_/).waitFor();
    expect(existsSync(fixture.path)).toBe(false);

    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByRole('link', { name: 'desk' }).click();
    await page.getByText('+precious').waitFor();
  });
  const [restored] = await server.client.workspaces.list();
  expect(restored).toMatchObject({ name: 'desk', changes: { untracked: 1 } });
  expect(git(repository, 'status', '--porcelain')).toBe('');
});

thoroughTest(
  'lists files that run automatically, including ignored ones, before the diff; and signing out ends the session',
  async context => {
    const { server } = await startSite({ '.gitignore': '.envrc\n' });
    const fixture = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
    const files = ['.claude/settings.json', '.mcp.json', '.vscode/tasks.json', '.envrc'];
    writeFiles(fixture.path, Object.fromEntries([...files, 'plain.txt'].map(path => [path, '{}\n'])));
    await visit(context, server, async ({ page, checkAccessibility, expectComplaint }) => {
      await page.goto(`${dashboardUrlOf(server.url)}/workspaces`);
      await page.getByRole('link', { name: 'desk' }).click();
      const banner = page.locator('.banner', { hasText: 'Files that run automatically' });
      await banner.waitFor();
      expect(await banner.locator('code').allTextContents()).toEqual(files);
      await checkAccessibility();
      const cookies = await page.context().cookies();
      expectComplaint('401');
      expectComplaint('/api/events');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('carrel dashboard').first().waitFor();
      // The cookie of an ended session is useless, even if it was stolen.
      await page.context().addCookies(cookies);
      await page.reload();
      await page.getByText('carrel dashboard').first().waitFor();
      expect(await page.getByText('desk', { exact: true }).count()).toBe(0);
    });
  },
);

thoroughTest('lands a workspace into a branch by the chosen strategy', async context => {
  const { repository, server } = await startSite();
  git(repository, 'branch', 'release');
  const fixture = await server.client.workspaces.create({ name: 'desk', isolation: 'worktree' });
  commitFiles(fixture.path, { 'one.txt': '1\n' }, 'one');
  commitFiles(fixture.path, { 'two.txt': '2\n' }, 'two');
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.goto(`${dashboardUrlOf(server.url)}/workspaces/${fixture.id}`);
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

thoroughTest(
  'shows changes by others at once, filters by the URL, and works with the keyboard alone',
  async context => {
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
      await page.getByRole('button', { name: 'Remove…' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('No risks').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('button.danger:focus').waitFor();
    });
  },
);

/** Bypasses the operations, which would take minutes; the files do not exist. */
async function insertWorkspaces(
  { environment }: TestServer,
  repository: string,
  names: readonly string[],
  eventsOfEach: number,
): Promise<void> {
  const app = await openApp({ environment, cwd: repository, recovers: false });
  try {
    const { id: repositoryId } = await app.backends.git.locate(repository);
    for (const name of names) {
      const id = `ws_00000000${name}`;
      const record = sampleWorkspace({ id, name, repository, repositoryId, status: 'ready' });
      const event = { type: 'workspace.ready', workspaceId: id, repositoryId, data: {} } as const;
      await app.store.workspaces.insert(
        record,
        Array.from({ length: eventsOfEach }, () => event),
      );
    }
  } finally {
    await app.close();
  }
}

const COUNT = 1_000;
const NAMES = Array.from({ length: COUNT }, (_, index) => `desk${String(index).padStart(4, '0')}`);

/** Counts the requests of the page; slow ones are answered when the test says so. */
async function holdSlowLists(page: Page) {
  let release = () => {};
  const gate = new Promise<void>(resolve => {
    release = resolve;
  });
  const asked = { fast: 0, slow: 0 };
  await page.route(/\/api\/workspaces(\?.*)?$/, async route => {
    const isFast = route.request().url().includes('fast=true');
    asked[isFast ? 'fast' : 'slow'] += 1;
    if (!isFast) await gate;
    await route.continue();
  });
  return { asked, release };
}

thoroughTest(
  'shows 1,000 workspaces before their files are scanned, stays stable during 1,000 events, and renders only the visible rows',
  async context => {
    const { repository, server } = await startSite();
    await server.client.workspaces.create({ name: 'a-real-one', isolation: 'worktree' });
    await insertWorkspaces(server, repository, NAMES, 0);
    await visit(context, server, async ({ page, checkAccessibility }) => {
      const { asked, release } = await holdSlowLists(page);
      await page.goto(`${dashboardUrlOf(server.url)}/workspaces?sort=name`);
      await page.getByText('1,001 workspaces').waitFor();
      const real = page.getByRole('row', { name: 'a-real-one' });
      await real.getByText('unknown').waitFor();
      const before = await real.boundingBox();
      await insertWorkspaces(server, repository, ['a-late-one'], 1_000);
      await page.getByRole('link', { name: 'a-late-one' }).waitFor();
      expect(asked.slow).toBe(1);
      expect(asked.fast).toBeLessThan(10);
      release();
      await real.getByText('unchanged').waitFor();
      expect((await real.boundingBox())?.height).toBe(before?.height);
      await page.getByRole('button', { name: 'Work', exact: true }).click();
      await page.locator('tr[data-row="0"]', { hasText: 'a-real-one' }).waitFor();
      await page.getByRole('button', { name: 'Name' }).click();
      const rows = page.locator('tr[data-row]');
      expect(await rows.count()).toBeLessThan(100);

      await page.getByRole('region', { name: 'Workspaces' }).focus();
      await page.keyboard.press('End');
      const last = page.getByRole('link', { name: 'desk0999' });
      await last.waitFor();
      expect(await last.isVisible()).toBe(true);
      expect(await rows.count()).toBeLessThan(100);
      await checkAccessibility();

      await page.getByRole('searchbox').fill('desk05');
      await page.getByText('100 of 1,002 workspaces').waitFor();
      await page.getByRole('link', { name: 'desk0599' }).waitFor();
      await page.keyboard.press('Escape');
      for (let step = 0; step < 60; step++) await page.keyboard.press('j');
      await page.getByRole('link', { name: 'desk0559' }).waitFor();
      expect(await page.locator(':focus').textContent()).toBe('desk0559');
    });
  },
);

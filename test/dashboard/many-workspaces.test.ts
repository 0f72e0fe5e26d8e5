import { expect, it } from 'vitest';
import { openApp } from '../../src/app.js';
import { sampleWorkspace } from '../../src/store/contract/sample.js';
import { DASHBOARD, visit } from '../helpers/browser.js';
import { makeRepository } from '../helpers/repository.js';
import { startTestServer, type TestServer } from '../helpers/test-server.js';

const COUNT = 1_000;

/** Past the operations, which would take minutes; the files are not there. */
async function insertWorkspaces({ environment }: TestServer, repository: string): Promise<void> {
  const app = await openApp({ environment, cwd: repository, recovers: false });
  try {
    const { id: repositoryId } = await app.backends.git.locate(repository);
    for (let number = 0; number < COUNT; number++) {
      const digits = String(number).padStart(4, '0');
      const change = { id: `ws_0000000000${digits}aa`, name: `desk-${digits}`, repository, repositoryId };
      await app.store.workspaces.insert(sampleWorkspace({ ...change, status: 'ready' }), []);
    }
  } finally {
    await app.close();
  }
}

it('keeps only the rows that are seen of 1,000 workspaces in the page, wherever one scrolls', async context => {
  const repository = makeRepository();
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  await insertWorkspaces(server, repository);
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.goto(`${server.url}/workspaces?sort=name`);
    await page.getByText('1000 workspaces').waitFor();
    const rows = page.locator('tr[data-row]');
    await page.getByRole('link', { name: 'desk-0000' }).waitFor();
    expect(await rows.count()).toBeLessThan(100);

    await page.getByRole('region', { name: 'Workspaces' }).focus();
    await page.keyboard.press('End');
    const last = page.getByRole('link', { name: 'desk-0999' });
    await last.waitFor();
    expect(await last.isVisible()).toBe(true);
    expect(await rows.count()).toBeLessThan(100);
    await checkAccessibility();

    await page.getByRole('searchbox').fill('desk-05');
    await page.getByText('100 of 1000 workspaces').waitFor();
    await page.getByRole('link', { name: 'desk-0599' }).waitFor();
    await page.keyboard.press('Escape');
    for (let step = 0; step < 60; step++) await page.keyboard.press('j');
    const focused = page.locator(':focus');
    await page.getByRole('link', { name: 'desk-0559' }).waitFor();
    expect(await focused.textContent()).toBe('desk-0559');
  });
});

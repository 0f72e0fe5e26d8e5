import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openApp } from '../../src/app.js';
import { sampleTask } from '../../src/store/contract/sample-records.js';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { thoroughTest } from '../helpers/flavours.js';
import { git, makeRepository } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { makeScriptedTasks, type ScriptedTasksOptions } from '../helpers/task/scripted-tasks.js';

async function startSite(options: ScriptedTasksOptions) {
  const tasks = makeScriptedTasks(options);
  const { repository, carrel } = tasks;
  const server = await startTestServer({ repository, carrel, settings: { dashboardDirectory: DASHBOARD } });
  return { ...tasks, server };
}

/** Simulates choosing another tab: a headless browser has no other way. */
async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })`,
  );
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
}

/** Ends when the test says so, or on its own when the test has failed. */
const WAIT = 'for turn in $(seq 300); do test -e "$TALLY.gate" && break; sleep 0.1; done';

const WRITE = `printf '\\033[31mred\\033[0m alert\\n'; echo careful >&2; ${WAIT}
printf 'export const half = (cents: number) => Math.round(cents / 2); // up\\n' > source/half.ts
git mv source/one.txt source/first.txt; chmod +x README.md
printf '\\0\\1\\2' > logo.bin; git add --all; git commit --quiet --message 'Round up'`;

it('starts a task with the keyboard alone, shows its log live and its diff when it exists, and lands it', async context => {
  const { repository, carrel, server } = await startSite({
    agents: { planner: 'echo planned', builder: WRITE },
    stages: [
      { name: 'plan', agent: 'planner' },
      { name: 'build', agent: 'builder' },
    ],
    workflow: {
      isolation: 'worktree',
      validation: [{ kind: 'file-exists', path: 'source/half.ts' }],
    },
    config: { workspace: { cleanupOnComplete: false } },
  });
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.getByText('No task is running').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByText('There are no tasks yet').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New task' }).waitFor();
    await checkAccessibility();
    await page.keyboard.type('Round half cents up');
    await page.keyboard.press('Control+Enter');

    await page.getByRole('heading', { name: 'Round half cents up', level: 1 }).waitFor();
    const log = page.getByRole('region', { name: 'Lines of the log' });
    await log.getByText('red alert', { exact: true }).waitFor();
    await page.getByText('● following').waitFor();
    await page.getByLabel('Stream').selectOption('stderr');
    await log.getByText('careful').waitFor();
    expect(await log.locator('tr[data-row]').count()).toBe(1);
    await checkAccessibility();

    // A hidden page closes its streams, and later continues where it was.
    await setHidden(page, true);
    await setHidden(page, false);
    writeFileSync(join(carrel.home, 'tally.gate'), '');
    const diff = page.getByRole('region', { name: 'Diff' });
    await diff.getByText('export const half').waitFor();
    await page.getByText('Validation: 1 of 1 passed').waitFor();
    await page.getByRole('status').getByText('succeeded').waitFor();
    expect(await log.locator('tr[data-row]').allTextContents()).toEqual([expect.stringMatching(/careful$/)]);
    expect(await diff.locator('.token-keyword').allTextContents()).toEqual(['export', 'const']);
    expect(await diff.locator('.token-comment').textContent()).toBe('// up');
    for (const word of ['renamed', 'added', 'binary', 'mode 100644 → 100755'])
      expect(await diff.getByText(word, { exact: true }).count(), word).toBeGreaterThan(0);
    await page.getByText('Split').click();
    await diff.getByText('export const half').waitFor();
    await checkAccessibility();
    await diff.getByRole('button', { name: 'source/half.ts' }).click();
    await diff.getByText('export const half').waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Land…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Land', exact: true }).click();
    await dialog.getByText('landed on').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/^on main at/).waitFor();
  });
  expect(git(repository, 'log', '-1', '--format=%s', 'main')).toContain('Round');
});

thoroughTest('asks for the approval of a stage, and continues the task after it', async context => {
  const { server, tally } = await startSite({
    agents: {
      worker: 'cat >> "$TALLY.prompts"; echo "$CARREL_STAGE" >> "$TALLY"; echo 1 > "$CARREL_STAGE.txt"',
    },
    stages: [
      { name: 'plan', agent: 'worker', approve: true },
      { name: 'build', agent: 'worker' },
    ],
    workflow: { isolation: 'worktree' },
  });
  const { id } = await server.client.tasks.create({ description: 'Plan and build' });
  for await (const _ of server.client.events({ taskId: id, after: 0 }));
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.goto(`${dashboardUrlOf(server.url)}/tasks/${id}`);
    await page.getByText('Waits for your approval').waitFor();
    await page.getByRole('button', { name: 'Reject…' }).click();
    const dialog = page.getByRole('dialog');
    await checkAccessibility();
    await dialog.getByLabel('Message').fill('more detail');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await dialog.getByText('The stage runs again.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 attempts').waitFor();
    await page.getByText('Waits for your approval').waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    await dialog.getByLabel('Message').fill('good');
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await dialog.getByText('Approved.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('succeeded').waitFor();
    await page.getByText('Approved: good').waitFor();
  });
  expect(tally()).toEqual(['plan', 'plan', 'build']);
});

thoroughTest('shows why a task failed, and retries and cancels it after confirmation', async context => {
  const { server } = await startSite({
    agents: { worker: `echo tried >> "$TALLY"; test $(wc -l < "$TALLY") -lt 2 && exit 7; ${WAIT}` },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const { id } = await server.client.tasks.create({ description: 'Fix it\nwith all the details' });
  for await (const event of server.client.events({ taskId: id, after: 0 }))
    if (event.type === 'task.failed') break;
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.goto(`${dashboardUrlOf(server.url)}/tasks?status=failed`);
    await page.getByRole('link', { name: /^Fix it/ }).click();
    const failure = page.getByRole('region', { name: 'Failure' });
    await failure.getByText('agent-failed').waitFor();
    await page.getByText('exit status 7').first().waitFor();
    await page.getByText('with all the details').waitFor();
    await checkAccessibility();

    await page.getByRole('button', { name: 'Retry…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It continues with the stage only').waitFor();
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await dialog.getByText('The task is waiting for its turn').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('running').waitFor();

    await page.getByRole('button', { name: 'Cancel…' }).click();
    await dialog.getByRole('button', { name: 'Cancel the task' }).click();
    await dialog.getByText('The task is cancelled.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('status').getByText('cancelled').waitFor();
    expect(await server.client.tasks.show(id)).toMatchObject({ status: 'cancelled' });
  });
});

thoroughTest(
  'keeps a log and a diff of 100,000 lines smooth: only the visible rows are rendered',
  async context => {
    const { server } = await startSite({
      agents: {
        worker: 'seq 100000; seq 100000 > numbers.txt; git add --all; git commit --quiet --message numbers',
      },
      stages: [{ name: 'only', agent: 'worker' }],
      workflow: { isolation: 'worktree' },
    });
    const { id } = await server.client.tasks.create({ description: 'Count', keep: true });
    for await (const event of server.client.events({ taskId: id, after: 0 }))
      if (event.type === 'task.succeeded') break;
    await visit(context, server, async ({ page }) => {
      await page.goto(`${dashboardUrlOf(server.url)}/tasks/${id}`);
      const log = page.getByRole('region', { name: 'Lines of the log' });
      const rows = log.locator('tr[data-row]');
      await log.getByText('100000', { exact: true }).waitFor();
      expect(await rows.count()).toBeLessThan(100);
      await log.focus();
      await page.keyboard.press('Home');
      await log.getByText('1', { exact: true }).waitFor();
      expect(await rows.count()).toBeLessThan(100);
      await page.getByRole('button', { name: 'To the end' }).click();
      await log.getByText('100000', { exact: true }).waitFor();

      const diff = page.getByRole('region', { name: 'Diff' });
      await page.getByText('+100000').first().waitFor();
      await diff.focus();
      await page.keyboard.press('End');
      await diff.getByRole('row', { name: /\+100000$/ }).waitFor();
      expect(await diff.locator('tr[data-row]').count()).toBeLessThan(150);
    });
  },
);

thoroughTest(
  'reports that a task was less isolated than requested and why, and shows text as text',
  async context => {
    const repository = makeRepository();
    const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
    const description = '<img src="https://example.com/x.png" onerror="alert(1)"> \u202egnp';
    const isolation = {
      requested: 'full',
      effective: 'worktree',
      reason: 'there is no bubblewrap here',
    } as const;
    const usage = { inputTokens: 48_200, outputTokens: 1_300, costUsd: 0.42 };
    const app = await openApp({ environment: server.environment, cwd: repository, recovers: false });
    const ended = { status: 'succeeded', endedAt: new Date().toISOString() } as const;
    const task = sampleTask({
      ...ended,
      description,
      isolation,
      usage,
      warnings: ['<b>bold</b>'],
      repository,
    });
    await app.store.tasks.insert(task, []).finally(() => app.close());
    await visit(context, server, async ({ page, checkAccessibility }) => {
      await page.goto(`${dashboardUrlOf(server.url)}/tasks?filter=example.com`);
      await page.getByText('worktree, not full').waitFor();
      await page.getByRole('link', { name: '<img src=' }).click();
      await page.getByRole('heading', { name: '⟨202E⟩gnp', level: 1 }).waitFor();
      const warnings = page.getByRole('region', { name: 'Warnings' });
      await warnings.getByText('Isolation is worktree; full was requested.').waitFor();
      await warnings.getByText('there is no bubblewrap here').waitFor();
      await warnings.getByText('<b>bold</b>').waitFor();
      await page.getByText('$0.420').waitFor();
      await page.getByText('48,200 read, 1,300 written').waitFor();
      await checkAccessibility();
    });
  },
);

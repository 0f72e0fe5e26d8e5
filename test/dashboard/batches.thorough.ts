import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { EvalItem } from '../../src/domain/batch/eval-item.js';
import type { CarrelClient } from '../../src/surfaces/client/carrel-client.js';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { writeDataset } from '../helpers/batch/eval-bench.js';
import { thoroughTest } from '../helpers/flavours.js';
import { findByWord } from '../helpers/machine/processes.js';
import { makeRepository, writeFiles } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { tempDir } from '../helpers/temp.js';
import { waitFor } from '../helpers/wait-for.js';
import { createTidyCarrel } from '../helpers/workspace/test-workspace.js';

const TASKS = ['fix-typo-001', 'fix-import-001'];

/** A golden batch; its id when its process has ended. */
async function runGolden({ batches }: CarrelClient, agent: string, attempts: number): Promise<string> {
  const { id } = await batches.start({ dataset: 'golden', agent, taskIds: TASKS, attempts });
  await untilLeft(id);
  return id;
}

const untilLeft = (id: string) =>
  waitFor(`the end of ${id}`, () => (findByWord(id).length === 0 ? true : undefined), 60_000);

it('shows tasks by attempts with their outcomes, opens one with its patch, and compares runs', async context => {
  const repository = makeRepository();
  const server = await startTestServer({ repository, settings: { dashboardDirectory: DASHBOARD } });
  const nop = await runGolden(server.client, 'nop', 1);
  const oracle = await runGolden(server.client, 'oracle', 2);
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('2 runs').waitFor();
    await checkAccessibility();

    await page.getByRole('link', { name: 'golden, oracle' }).click();
    await page.getByRole('heading', { name: /100 % passed/ }).waitFor();
    await page.getByRole('link', { name: 'fix-typo-001, attempt 2: passed' }).waitFor();
    await page.getByRole('table', { name: 'Passed by difficulty' }).waitFor();
    expect(await page.getByRole('img', { name: /^Time per attempt: min/ }).count()).toBe(1);
    await checkAccessibility();
    await page.getByRole('searchbox').fill('import');
    await page.getByText('1 of 2 tasks').waitFor();

    await page.getByRole('link', { name: 'fix-import-001, attempt 2: passed' }).click();
    await page.getByRole('heading', { name: 'fix-import-001', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'Graders' }).getByText('passed').first().waitFor();
    await page.getByRole('region', { name: 'Diff' }).getByText(/^@@ /).first().waitFor();
    await checkAccessibility();

    await page.goto(`${dashboardUrlOf(server.url)}/batches`);
    for (const id of [nop, oracle]) await page.getByRole('checkbox', { name: id }).check();
    await page.getByRole('button', { name: 'Compare 2 runs' }).click();
    await page.getByText('2 tasks with different outcomes').waitFor();
    await page.getByText('+100 points', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'fix-typo-001 in A: failed' }).waitFor();
    await page.getByText('won', { exact: true }).first().waitFor();
    await checkAccessibility();
    await page.getByRole('button', { name: 'Make baseline' }).click();
    await page.getByText('lost', { exact: true }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('runs')).toBe(`${oracle},${nop}`);
  });
});

const item = (id: string): EvalItem => ({
  id,
  description: 'Write yes into done.txt',
  base: { kind: 'files', files: { 'README.md': 'hello\n' } },
  graders: [{ kind: 'command', name: 'check', run: 'test "$(cat done.txt)" = yes' }],
});

thoroughTest('starts a batch, shows its progress live, stops it and resumes it', async context => {
  const carrel = createTidyCarrel();
  const place = tempDir();
  const script = `: > ${place}/begun; until [ -e ${place}/open ]; do sleep 0.05; done; echo yes > done.txt`;
  writeFiles(carrel.home, {
    'config/carrel/config.yaml': stringify({ agents: { patient: { command: script } } }),
  });
  const dataset = writeDataset([item('one'), item('two')]);
  const settings = { allowedRoots: [join(dataset, '..')], dashboardDirectory: DASHBOARD };
  const server = await startTestServer({ carrel, settings });
  await visit(context, server, async ({ page, checkAccessibility, expectComplaint }) => {
    await page.goto(`${dashboardUrlOf(server.url)}/batches`);
    await page.getByText('There are no batches yet').waitFor();
    await page.getByRole('button', { name: 'New batch…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Agent').fill('patient');
    await dialog.getByLabel('Dataset').fill(dataset);
    await dialog.getByLabel('Task ids').fill('one, two');
    await dialog.getByText('More').click();
    await dialog.getByLabel('Keep the files of failed attempts').check();
    await checkAccessibility();
    await dialog.getByRole('button', { name: 'Start the batch' }).click();
    await page.getByText('0 of 2 attempts done').waitFor();
    await waitFor('the first attempt', () => existsSync(join(place, 'begun')) || undefined);

    await page.getByRole('button', { name: 'Stop…' }).click();
    await dialog.getByRole('button', { name: 'Stop the batch' }).click();
    await dialog.getByText('The batch is stopping').waitFor();
    await page.keyboard.press('Escape');
    writeFileSync(join(place, 'open'), '');
    await page.getByRole('status').getByText('stopped').waitFor();
    await page.getByRole('link', { name: 'one, attempt 1: passed' }).waitFor();
    expectComplaint('/attempts/two/1/log');
    await page.getByRole('link', { name: 'two, attempt 1: not done' }).click();
    await page.getByText('There is no result yet.').waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Resume…' }).click();
    await dialog.getByRole('button', { name: 'Resume the batch' }).click();
    await dialog.getByText('The batch is running again.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 of 2 attempts done').waitFor();
    await page.getByRole('status').getByText('finished').waitFor();
    await untilLeft(new URL(page.url()).pathname.split('/').at(-1) ?? '');
  });
});

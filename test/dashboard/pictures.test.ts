import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { CarrelClient } from '../../src/surfaces/client/carrel-client.js';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { createCarrel } from '../helpers/carrel.js';
import { commitFiles, makeRepository, writeFiles } from '../helpers/repository.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { takePictures } from '../helpers/server/pictures.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { removeTree } from '../helpers/temp.js';

/** The pictures show paths: the same readable ones each time. */
const HOME = '/tmp/maya';
const GATE = join(HOME, 'gate');
const WAIT = `for turn in $(seq 600); do test -e ${GATE} && exit 0; sleep 0.1; done; exit 1`;

const WORKFLOW = stringify({
  name: 'feature',
  description: 'Plan, build, review',
  isolation: 'worktree',
  stages: [
    { name: 'plan', agent: 'planner' },
    { name: 'build', agent: 'builder' },
    { name: 'review', agent: 'planner' },
  ],
});
const AGENTS = stringify({
  tasks: { workflow: 'feature' },
  agents: { planner: { command: 'echo planned' }, builder: { command: WAIT }, quick: { command: 'true' } },
});

/** A repository with some work in progress. */
async function makeSite() {
  onTestFinished(() => removeTree(HOME));
  const files = { 'src/cart.ts': 'export const total = 0;\n', '.carrel/workflows/feature.yaml': WORKFLOW };
  const repository = makeRepository(files, join(HOME, 'shop'));
  writeFiles(HOME, { 'config/carrel/config.yaml': AGENTS });
  const carrel = createCarrel(HOME);
  const server = await startTestServer({ repository, carrel, settings: { dashboardDirectory: DASHBOARD } });
  const create = (name: string) => server.client.workspaces.create({ name, isolation: 'worktree' });
  const cart = await create('checkout-rounding');
  const search = await create('faster-search');
  for (const name of ['login-form', 'upgrade-router']) await create(name);
  const rounding = 'export const total = (sum: number) => Math.round(sum);\n';
  commitFiles(cart.path, { 'src/cart.ts': rounding }, 'round to whole cents');
  writeFiles(cart.path, { 'notes.md': 'Ask about half cents.\n' });
  writeFiles(search.path, { 'src/search.ts': 'export const find = () => [];\n' });
  await server.client.workspaces.snapshot(cart.id, { message: 'before the refactoring' });
  return { server, cart };
}

/** Two that have ended, two that run until the gate is there. */
async function startTasks(client: CarrelClient): Promise<void> {
  const create = (description: string, agent?: string) => client.tasks.create({ description, agent });
  for (const description of ['Sort search results by relevance', 'Say what is wrong when a login fails'])
    await untilEnd(client, (await create(description, 'quick')).id);
  await create('Round half cents to even in the cart');
  await create('Move the router to its next major version');
}

/** For docs/images; only on request, because they depend on the fonts of the machine. */
it.runIf(process.env.CARREL_PICTURES)('takes the pictures of the guide', async context => {
  const { server, cart } = await makeSite();
  await startTasks(server.client);
  try {
    await visit(context, server, async ({ page }) => {
      await page.getByText('build, 1 of 3 done').nth(1).waitFor();
      await takePictures(page, 'overview');
      await page.goto(`${dashboardUrlOf(server.url)}/workspaces`);
      await page.getByText('1 ahead').waitFor();
      await takePictures(page, 'workspaces');
      await page.goto(`${dashboardUrlOf(server.url)}/workspaces/${cart.id}`);
      await page.getByText('half cents').waitFor();
      await takePictures(page, 'workspace');
      await page.getByRole('button', { name: 'Remove…' }).click();
      await page.getByRole('checkbox').first().waitFor();
      await takePictures(page, 'remove');
      await page.goto(`${dashboardUrlOf(server.url)}/doctor`);
      await page.getByRole('listitem').filter({ hasText: 'git' }).first().waitFor();
      await takePictures(page, 'doctor');
    });
  } finally {
    writeFileSync(GATE, '');
  }
  for (const { id } of await server.client.tasks.list()) await untilEnd(server.client, id);
});

/** The event stream of a finished task ends. */
async function untilEnd(client: CarrelClient, id: string): Promise<void> {
  for await (const _ of client.events({ taskId: id, after: 0 }));
}

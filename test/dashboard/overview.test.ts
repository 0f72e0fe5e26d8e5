import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DASHBOARD, visit } from '../helpers/browser.js';
import { makeScriptedTasks } from '../helpers/scripted-tasks.js';
import { startTestServer } from '../helpers/test-server.js';

/** Ends when the test says so, and by itself when the test has failed. */
const WAIT = 'for turn in $(seq 300); do test -e "$TALLY.gate" && exit 0; sleep 0.1; done; exit 1';

it('shows a task while it runs, and where it went when it has ended, without being asked again', async context => {
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

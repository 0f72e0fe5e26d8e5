import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openEmbeddedEngine } from '../../src/fleet/embedded/open-embedded-engine.js';
import {
  createGate,
  done,
  eventually,
  job,
  startWorker,
  terms,
  type WorkerOptions,
} from '../../src/fleet/engine/contract/sample-fleet.js';
import type { Claimed, Engine } from '../../src/fleet/engine/engine.js';
import { dashboardUrlOf } from '../../src/surfaces/http/security/own-url.js';
import { createCarrel } from '../helpers/carrel.js';
import { DASHBOARD, visit } from '../helpers/server/browser.js';
import { takePictures } from '../helpers/server/pictures.js';
import { startTestServer } from '../helpers/server/test-server.js';
import { removeTree, tempDir } from '../helpers/temp.js';

const HOME = '/tmp/maya';
const GB = 1e9;
const RUN = 'run_k3x9mzq4';
const GOLDEN = ['add-flag', 'fix-rounding', 'parse-dates', 'sort-stable', 'trim-lines', 'wrap-text'];

/** Hosts that work until the gate opens, except for the first two jobs, which are done at once. */
async function startHosts(engine: Engine) {
  const gate = createGate();
  let begun = 0;
  const handle = async (claimed: Claimed) => {
    begun += 1;
    if (begun <= 2) return done('done', 0.21);
    claimed.report({ text: 'running the agent', costUsd: 0.08 });
    return gate.handle(claimed);
  };
  const versions = { carrel: '0.1.0', claude: '2.1.197' };
  const start = (name: string, options: WorkerOptions) => {
    const about = { id: `host-${name}`, name, versions, slots: 2, look: () => ({ diskFreeBytes: 412 * GB }) };
    const worker = startWorker(engine, { ...about, ...options }, handle);
    onTestFinished(() => worker.stop());
  };
  const terabyte = { look: () => ({ diskFreeBytes: 1300 * GB }) };
  start('build-1', { labels: ['linux', 'gpu'] });
  start('build-2', { labels: ['linux'], ...terabyte });
  const refusing = 'less than 2 GB of free disk space';
  start('build-3', { slots: 4, look: () => ({ diskFreeBytes: 1.2 * GB, refusing }) });
  const jobs = GOLDEN.map(task => job(task, { run: RUN }));
  await engine.submit(terms({ run: RUN, parallelism: 4, costLimitUsd: 5 }), jobs);
  await eventually(async () => {
    const reports = (await engine.hosts()).flatMap(({ claims }) => claims.map(({ report }) => report?.text));
    expect(reports).toEqual(Array.from({ length: 4 }, () => 'running the agent'));
  });
  return gate;
}

it('shows the hosts of a fleet, what they do, and its runs', async context => {
  // The picture shows a path: the same readable one each time.
  const carrel = createCarrel(process.env.CARREL_PICTURES ? HOME : tempDir());
  if (process.env.CARREL_PICTURES) onTestFinished(() => removeTree(HOME));
  const server = await startTestServer({ carrel, settings: { dashboardDirectory: DASHBOARD } });
  expect(await server.client.fleet.status()).toEqual({ fleet: null, hosts: [], runs: [] });
  await visit(context, server, async ({ page, checkAccessibility }) => {
    await page.goto(`${dashboardUrlOf(server.url)}/fleet`);
    await page.getByText('carrel fleet init local').waitFor();
    await checkAccessibility();

    const engine = await openEmbeddedEngine({ file: join(carrel.stateDir, 'fleet/local/fleet.db') });
    onTestFinished(() => engine.close());
    const gate = await startHosts(engine);
    const hosts = page.getByRole('region', { name: 'Hosts of the fleet' });
    await hosts.getByRole('row', { name: /build-1 working .*2 of 2 .* 412 GB/ }).waitFor();
    await hosts.getByRole('row', { name: /build-3 refusing/ }).waitFor();
    await page.getByText('build-3 takes no jobs: less than 2 GB of free disk space').waitFor();
    const running = page.getByRole('region', { name: 'Attempts that run now' });
    await running
      .getByRole('row', { name: /build-\d running the agent \$0\.080/ })
      .nth(3)
      .waitFor();
    await page.getByText(/3 hosts, 4 of 8 slots in use/).waitFor();
    const run = page.getByRole('region', { name: 'Runs of the fleet' }).getByRole('row', { name: RUN });
    await run.getByText('2 of 6').waitFor();
    await run.getByText('$0.420 of $5.00').waitFor();
    await checkAccessibility();
    if (process.env.CARREL_PICTURES) await takePictures(page, 'fleet');

    gate.open(done('done', 0.21));
    await run.getByText('finished').waitFor();
    await page.getByText('Attempts that run now').waitFor({ state: 'detached' });
  });
  const { fleet, runs } = await server.client.fleet.status();
  expect(fleet).toBe(join(carrel.stateDir, 'fleet/local'));
  expect(runs).toMatchObject([{ run: RUN, state: 'finished', jobs: { done: 6 } }]);
  expect(runs[0]).not.toHaveProperty('plan');
});

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { openEmbeddedEngine } from '../embedded/open-embedded-engine.js';
import { createGate, done, eventually, jobs, startWorker, terms } from '../engine/contract/sample-fleet.js';
import { readFleetStatus } from './fleet-status.js';
import type { FleetContext } from './open-fleet.js';

function contextOf(environment: Record<string, string>): FleetContext {
  const stateDir = tempDir();
  return { places: { stateDir } as FleetContext['places'], cwd: stateDir, environment };
}

async function openEngine(directory: string) {
  const engine = await openEmbeddedEngine({ file: join(directory, 'fleet.db') });
  onTestFinished(() => engine.close());
  return engine;
}

test('the fleet of CARREL_FLEET comes before the one of this machine, and one that does not exist is an error', async () => {
  const directory = tempDir();
  const context = contextOf({ CARREL_FLEET: directory });
  await openEngine(join(context.places.stateDir, 'fleet/local'));
  await expect(readFleetStatus(context)).rejects.toMatchObject({ code: 'FLEET_NOT_INITIALIZED' });
  await openEngine(directory);
  expect(await readFleetStatus(context)).toEqual({ fleet: directory, hosts: [], runs: [] });
  const local = await readFleetStatus({ ...context, environment: {} });
  expect(local.fleet).toBe(join(context.places.stateDir, 'fleet/local'));
});

test('a running run has results per minute, a finished one has none, and neither has its plan', async () => {
  const directory = tempDir();
  const context = contextOf({ CARREL_FLEET: directory });
  const engine = await openEngine(directory);
  const gate = createGate();
  const worker = startWorker(engine, { slots: 2 }, claimed =>
    claimed.claim.job.key.task === 'task-1' ? Promise.resolve(done()) : gate.handle(claimed),
  );
  await engine.submit(terms(), jobs(2));
  const running = await eventually(async () => {
    const [run] = (await readFleetStatus(context)).runs;
    expect(run?.resultsPerMinute).toBeGreaterThan(0);
    return run;
  });
  expect(running).toMatchObject({ run: 'run-1', state: 'running', jobs: { done: 1, claimed: 1 } });
  gate.open();
  await worker.drain();
  const [finished] = (await readFleetStatus(context)).runs;
  expect(finished).toMatchObject({ state: 'finished', resultsPerMinute: null });
  for (const run of [running, finished]) expect(run).not.toHaveProperty('plan');
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { FleetCleanupSchema, FleetRunSchema, FleetSchema } from '../../../src/domain/fleet/fleet-report.js';
import { createCarrel } from '../../helpers/carrel.js';
import { essenceOf, indexOf, withFleetBench } from '../../helpers/fleet/fleet-bench.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { requirePart } from '../../parts/required-part.js';

const GOLDEN = [
  ...['--dataset', 'golden', '--task-ids', 'fix-typo-001,fix-import-001', '--agent', 'oracle'],
  ...['--isolation', 'worktree', '--parallelism', '2'],
];

test('golden tasks on two workers have the outcomes and identities of a local run', async () => {
  await withFleetBench(join(tempDir(), 'fleet'), async bench => {
    const workers = [await bench.startWorker('one'), await bench.startWorker('two')];
    const running = await bench.startBatch('run', ...GOLDEN);
    expect(running).toMatchObject({ status: 0 });
    const fleet = JSON.parse(running.stdout) as BatchRun;
    const local = bench.submitter.json<BatchRun>(bench.submitter.home, 'eval', 'run', ...GOLDEN);
    expect(essenceOf(fleet)).toEqual(essenceOf(local));
    expect(fleet).toMatchObject({ status: 'finished', totals: { passed: 2 } });
    expect(indexOf(fleet.directory)).toHaveLength(2);
    const shown = FleetRunSchema.strict().parse(bench.show(fleet.id));
    expect(shown).toMatchObject({ state: 'finished', jobs: { done: 2 }, claims: [], left: [] });
    expect(shown).toMatchObject({ results: 2, acknowledged: 2 });
    const cleanup = bench.submitter.json(bench.submitter.home, 'fleet', 'gc', '--on', bench.address);
    expect(FleetCleanupSchema.strict().parse(cleanup)).toMatchObject({ removed: 0, runs: [] });
    expect(bench.resumeHere(fleet.id).attempts).toEqual(fleet.attempts);
    for (const { process } of workers) {
      process.child.kill('SIGTERM');
      expect(await process).toMatchObject({ status: 0 });
    }
    const hosts = FleetSchema.shape.hosts.parse(bench.hosts());
    expect(hosts.map(({ name, state }) => `${name} ${state}`)).toEqual(['one gone', 'two gone']);
  });
});

test('an agent that needs other files cannot run on a fleet', async () => {
  await withFleetBench(join(tempDir(), 'fleet'), async bench => {
    const directory = tempDir();
    writeFileSync(join(directory, 'other.mjs'), 'export const word = "done";\n');
    const module = join(directory, 'agent.mjs');
    writeFileSync(module, "import { word } from './other.mjs';\nexport default async () => word;\n");
    const { submitter } = bench;
    const words = ['eval', 'run', '--dataset', 'golden', '--sample', '1', '--isolation', 'worktree'];
    words.push('--agent', module);
    const error = submitter.error(submitter.home, ...words, '--on', join(tempDir(), 'missing'));
    expect(error).toMatchObject({ code: 'FLEET_NOT_INITIALIZED' });
    const { status, stdout } = await bench.startBatch(...words.slice(1));
    expect(status).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'AGENT_CANNOT_TRAVEL' });
  });
});

test('the machine that submits a batch needs no sandbox for isolation full', () => {
  const submitter = createCarrel(tempDir(), { PATH: pathWithout('bwrap', 'podman', 'docker') });
  const words = ['eval', 'run', '--dataset', 'golden', '--sample', '1', '--agent', 'oracle'];
  const asked = [...words, '--isolation', 'full'];
  expect(submitter.error(tempDir(), ...asked)).toMatchObject({ code: 'ISOLATION_UNAVAILABLE' });
  // It is planned; then there is no fleet at this address.
  const error = submitter.error(tempDir(), ...asked, '--on', join(tempDir(), 'missing'));
  expect(error).toMatchObject({ code: 'FLEET_NOT_INITIALIZED' });
});

test('a worker that is root is refused at its start, unless that is allowed', context => {
  requirePart(context, process.getuid?.() === 0, 'root');
  const carrel = createCarrel();
  const address = join(tempDir(), 'fleet');
  carrel.ok(carrel.home, 'fleet', 'init', address);
  const worker = ['worker', '--on', address, '--until-idle', '1ms'];
  expect(carrel.error(carrel.home, ...worker)).toMatchObject({
    ...{ status: 2, code: 'INVALID_INPUT' },
    message: 'the user of this worker is root; expected an ordinary user, or the option --allow-root',
  });
  expect(carrel.run(carrel.home, ...worker, '--allow-root').status).toBe(0);
});

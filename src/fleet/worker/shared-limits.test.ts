import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { writeDataset } from '../../../test/helpers/batch/eval-bench.js';
import { openMachine, openSharedStore, submitRun } from '../../../test/helpers/fleet/travel-bench.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { canonicalJson } from '../../domain/fleet/canonical-json.js';
import { openEmbeddedEngine } from '../embedded/open-embedded-engine.js';
import type { Engine } from '../engine/engine.js';
import { runWorker } from './run-worker.js';

const item: EvalItem = {
  id: 'made',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n' } },
  graders: [{ kind: 'command', run: 'test -e made.txt' }],
};

/** Reports what a real agent prints when its model's host answers with 429, once; then it works. */
const refusedOnce = (mark: string, retryMs: number): string =>
  [
    `if [ -e ${mark} ]; then echo made > made.txt; echo '{"type":"result","result":"made"}'; exit 0; fi`,
    `: > ${mark}`,
    `echo '{"type":"system","subtype":"api_retry","error_status":429,"retry_delay_ms":${retryMs}}'`,
    `echo '{"type":"result","is_error":true,"api_error_status":429,"result":"too many requests"}'`,
    'exit 1',
  ].join('\n');

async function startFleet(retryMs: number) {
  const store = await openSharedStore();
  const home = tempDir();
  const command = refusedOnce(join(tempDir(), 'mark'), retryMs);
  const agents = { lab: { command, result: 'claude', hosts: ['model.example'] } };
  writeFiles(home, { 'config/carrel/config.yaml': stringify({ agents }) });
  const submitter = await openMachine({ XDG_CONFIG_HOME: join(home, 'config') });
  const { jobs, key } = await submitRun(submitter, store, { dataset: writeDataset([item]), agent: 'lab' });
  const engine = await openEmbeddedEngine({ file: join(tempDir(), 'fleet.db') });
  const [job] = jobs;
  if (!job) throw new Error('expected a job');
  const terms = { run: job.run, parallelism: 1, costLimitUsd: null, plan: '' };
  const row = { key: { run: job.run, task: job.task, attempt: 1 }, priority: 0, labels: [] };
  await engine.submit(terms, [{ ...row, provider: 'model.example', body: canonicalJson(job) }]);
  return { engine, store, run: job.run, key: key.publicKey, carrel: job.versions.carrel };
}

async function startOne({ engine, store, key, carrel }: Awaited<ReturnType<typeof startFleet>>) {
  const { context } = await openMachine();
  const [drain, stop] = [new AbortController(), new AbortController()];
  const terms = { keys: [key], allow: 'none' as const, labels: [], carrel, isRoot: true, allowRoot: true };
  const options = { engine, store, terms, name: 'one', slots: 1, diskReserveBytes: 0 };
  const working = runWorker(context, { ...options, drain: drain.signal, stop: stop.signal });
  const end = async (how: AbortController) => {
    how.abort();
    await working;
    await engine.close();
  };
  return { drain: () => end(drain), stop: () => end(stop) };
}

const findLimit = (engine: Engine) =>
  waitFor('a limit', async () => (await engine.limits()).find(each => each.provider === 'model.example'));

test('an agent that its model host refuses waits as long as the host says, and then works', async () => {
  const fleet = await startFleet(1500);
  const worker = await startOne(fleet);
  const { remainingMs } = await findLimit(fleet.engine);
  expect(remainingMs).toBeLessThanOrEqual(1500);
  const [result] = await waitFor('a result', async () => {
    const results = await fleet.engine.results(fleet.run);
    return results.length > 0 ? results : undefined;
  });
  expect(await fleet.engine.limits()).toEqual([]);
  expect(result).toMatchObject({ claim: 1, gaveUp: null });
  await worker.drain();
});

test('a refusal that one worker meets slows all of them, and a stopped one does not wait for its end', async () => {
  const fleet = await startFleet(200_000);
  const worker = await startOne(fleet);
  expect((await findLimit(fleet.engine)).remainingMs).toBeGreaterThan(100_000);
  const { claims } = await fleet.engine.progress(fleet.run);
  expect(claims).toMatchObject([{ claim: 1 }]);
  await worker.stop();
});

import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMachine } from '../../../test/helpers/fleet/travel-bench.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { openDirectoryStore, prepareDirectory } from '../artifacts/directory/directory-store.js';
import { uploadBytes } from '../artifacts/upload-blob.js';
import { openEmbeddedEngine } from '../embedded/open-embedded-engine.js';
import { startWorker, watchAll } from '../engine/contract/sample-fleet.js';
import { cleanFleet } from './clean-fleet.js';
import { saveArtifacts } from './fleet-settings.js';

const DAY_MS = 24 * 60 * 60_000;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** A fleet with a directory of blobs, all of which were sent long ago. */
async function openOldFleet() {
  const { context } = await openMachine();
  const engine = await openEmbeddedEngine({ file: join(tempDir(), 'fleet.db') });
  onTestFinished(() => engine.close());
  const root = join(tempDir(), 'blobs');
  await prepareDirectory(root);
  await saveArtifacts(engine, root);
  const store = openDirectoryStore(root);
  const fileOf = (hash: string) => join(root, hash.slice(0, 2), hash);
  return {
    engine,
    has: (hash: string) => existsSync(fileOf(hash)),
    put: (text: string) => uploadBytes(store, Buffer.from(text)),
    putOld: async (text: string) => {
      const hash = await uploadBytes(store, Buffer.from(text));
      utimesSync(fileOf(hash), LONG_AGO, LONG_AGO);
      return hash;
    },
    clean: (isDryRun = false) =>
      cleanFleet(context, { engine, name: 'the fleet' }, { olderThanMs: DAY_MS, isDryRun }),
  };
}

test('old files are removed, unless an unfinished run or a missing result needs them', async () => {
  const fleet = await openOldFleet();
  const file = await fleet.putOld('the program of an agent');
  const agent = await fleet.putOld(`{"kind":"program","file":{"hash":"${file}"}}`);
  const patch = await fleet.putOld('a patch');
  const manifest = await fleet.putOld(`{"files":[{"hash":"${patch}"}]}`);
  const unused = await fleet.putOld('of an earlier run');
  const young = await fleet.put('of a submitter that has not submitted its jobs yet');
  const all = [file, agent, patch, manifest];
  const { engine } = fleet;
  const terms = { run: 'run-1', parallelism: 1, costLimitUsd: null, plan: '' };
  const key = { run: 'run-1', task: 'a', attempt: 1 };
  await engine.submit(terms, [{ key, priority: 0, labels: [], body: JSON.stringify({ agent, manifest }) }]);

  expect(await fleet.clean(true)).toMatchObject({ removed: 1, kept: 5, runs: ['run-1'] });
  expect(fleet.has(unused)).toBe(true);
  expect(await fleet.clean()).toMatchObject({ removed: 1, freedBytes: 17, kept: 5, runs: ['run-1'] });
  expect([unused, young, ...all].map(fleet.has)).toEqual([false, true, true, true, true, true]);

  const record = JSON.stringify({ manifest });
  const worker = startWorker(engine, {}, async () => ({ kind: 'done', record, costUsd: 0 }));
  await watchAll(engine);
  await worker.drain();
  expect(await fleet.clean()).toMatchObject({ removed: 0, runs: ['run-1'] });
  await engine.acknowledge('run-1', 1);
  expect(await fleet.clean()).toMatchObject({ removed: 4, kept: 1, runs: [] });
  expect([young, ...all].map(fleet.has)).toEqual([true, false, false, false, false]);
});

test('a file that is sent again counts as new', async () => {
  const fleet = await openOldFleet();
  const hash = await fleet.putOld('a base');
  await fleet.put('a base');
  expect(await fleet.clean()).toMatchObject({ removed: 0, kept: 1 });
  expect(fleet.has(hash)).toBe(true);
});

test('files of a bucket or of another hub are not removed from here', async () => {
  const fleet = await openOldFleet();
  for (const place of ['s3://lab/blobs?region=here', 'https://hub.example/fleet/blobs']) {
    await saveArtifacts(fleet.engine, place);
    await expect(fleet.clean()).rejects.toMatchObject({ code: 'FLEET_GC_ELSEWHERE' });
  }
});

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeDataset } from '../../../test/helpers/batch/eval-bench.js';
import { createCarrel } from '../../../test/helpers/carrel.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { openApp } from '../../app.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { openBatches } from '../open-batches.js';
import { removeRun } from './remove-run.js';

const item: EvalItem = {
  id: 'red',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n' } },
  graders: [{ kind: 'command', run: 'false' }],
};

async function openEvaluation() {
  const { env, home } = createCarrel();
  const context = await openApp({ environment: env, cwd: home });
  onTestFinished(() => context.close());
  return { ...openBatches(context, home), remove: (run: string) => removeRun(context, run) };
}

test("removes a run with the kept files of its attempts, and leaves the user's own files", async () => {
  const batches = await openEvaluation();
  const out = tempDir();
  writeFileSync(join(out, 'notes.txt'), 'mine');
  const dataset = writeDataset([item]);
  const run = await batches.run({ dataset, agent: 'nop', keepFailed: true, out });
  const kept = run.attempts[0]?.worktreePath ?? '';
  expect(existsSync(join(kept, 'a.txt'))).toBe(true);
  expect(await batches.remove(run.id)).toMatchObject({ id: run.id, isDirectoryLeft: true, keptFiles: 1 });
  expect(existsSync(kept)).toBe(false);
  expect(await batches.list()).toEqual([]);
  expect(readFileSync(join(out, 'notes.txt'), 'utf8')).toBe('mine');
  expect(existsSync(join(out, 'run.json')) || existsSync(join(out, 'attempts'))).toBe(false);
});

test('refuses a results directory with user files that would be overwritten and removed', async () => {
  const batches = await openEvaluation();
  const out = tempDir();
  mkdirSync(join(out, 'attempts'));
  const starting = batches.run({ dataset: writeDataset([item]), agent: 'nop', out });
  await expect(starting).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(readdirSync(out)).toEqual(['attempts']);
});

test('paths in a foreign run record cannot cause removal of other files', async () => {
  const batches = await openEvaluation();
  const precious = tempDir();
  const run = await batches.run({ dataset: writeDataset([item]), agent: 'nop' });
  const forged = { ...run.attempts[0], worktreePath: precious };
  writeFileSync(join(run.directory, 'index.jsonl'), `${JSON.stringify(forged)}\n`);
  expect(await batches.remove(run.id)).toMatchObject({ isDirectoryLeft: false, keptFiles: 0 });
  expect(existsSync(precious)).toBe(true);
  expect(existsSync(run.directory)).toBe(false);
});

test('a run in use is not removed', async () => {
  const batches = await openEvaluation();
  let refusal: Promise<unknown> | undefined;
  const agent = async () => {
    refusal = batches.remove('latest').catch((error: unknown) => error);
    await refusal;
  };
  const run = await batches.run({ dataset: writeDataset([item]), agent });
  expect(await refusal).toMatchObject({ code: 'RUN_BUSY' });
  expect(run.totals).toMatchObject({ failed: 1 });
});

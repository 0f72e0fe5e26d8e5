import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeDataset } from '../../../test/helpers/batch/eval-bench.js';
import {
  openMachine,
  openSharedStore,
  startWorker,
  submitRun,
} from '../../../test/helpers/fleet/travel-bench.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';

beforeEach(requireBubblewrap);

const item: EvalItem = {
  id: 'made',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n' } },
  graders: [{ kind: 'command', run: 'test "$(cat made.txt)" = "make it"' }],
};

async function runInSandbox(agent: string) {
  const store = await openSharedStore();
  const submission = { dataset: writeDataset([item]), agent, isolation: 'full' as const };
  const { jobs, key } = await submitRun(await openMachine(), store, submission);
  const { work } = await startWorker(await openMachine(), store, key.publicKey);
  const [job] = jobs;
  if (!job) throw new Error('expected a job');
  return (await work(job)).ran.attempt;
}

test('a script of the submitter runs inside a sandbox of another machine, and reads its prompt', async () => {
  const script = join(tempDir(), 'my agent.sh');
  writeFileSync(script, '#!/bin/sh\ngrep -x "make it" > made.txt\n', { mode: 0o755 });
  const { outcome, environment } = await runInSandbox(script);
  expect([outcome, environment.runtime]).toEqual(['passed', 'bubblewrap']);
});

test('a shell command runs inside a sandbox of another machine', async () => {
  const { outcome, environment } = await runInSandbox('grep -x "make it" > made.txt');
  expect([outcome, environment.runtime]).toEqual(['passed', 'bubblewrap']);
});

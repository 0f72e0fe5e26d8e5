import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDataset } from '../../../test/helpers/batch/eval-bench.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import {
  type Machine,
  openMachine,
  openSharedStore,
  type Submission,
  startWorker,
  submitRun,
} from '../../../test/helpers/fleet/travel-bench.js';
import { commitFiles, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { openBatches } from '../../batch/open-batches.js';
import { readRun } from '../../batch/record/run-store.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import { bringBack } from './result/bring-back.js';

/** Runs a batch on a second machine, and gives its directory on the first. */
async function runElsewhere(submitter: Machine, store: BlobStore, submission: Submission) {
  const { run, jobs, key } = await submitRun(submitter, store, submission);
  const worker = await openMachine();
  const { work, runner } = await startWorker(worker, store, key.publicKey);
  const ended = await Promise.all(
    jobs.map(async job => {
      const { expected, claim, ran } = await work(job);
      await bringBack(run, store, expected);
      await bringBack(run, store, expected);
      await runner.discard(claim);
      expect(existsSync(ran.directory)).toBe(false);
      return expected;
    }),
  );
  await run.close();
  expect(ended).toHaveLength(jobs.length);
  return { directory: run.place.directory, id: run.plan.id };
}

/** What must be the same on every machine: not times, paths of homes, or names of hosts. */
const essence = (directory: string, attempts: readonly Attempt[]) =>
  attempts
    .map(({ taskId, attempt, identity, itemHash, outcome, score, patchPath, logPath, awaitsGrading }) => ({
      ...{ taskId, attempt, identity, itemHash, outcome, score, logPath, awaitsGrading },
      patch: patchPath && readFileSync(join(directory, patchPath), 'utf8'),
      hasLogs: existsSync(join(directory, logPath)) && existsSync(join(directory, logPath, '../grade.log')),
    }))
    .sort((a, b) => (a.taskId < b.taskId ? -1 : 1));

async function compareWithLocal(submission: Submission) {
  const submitter = await openMachine();
  const store = await openSharedStore();
  const { directory, id } = await runElsewhere(submitter, store, submission);
  const fleet = await readRun(directory);
  const local = await openMachine();
  const { taskIds, ...options } = submission;
  const batches = openBatches(local.context, local.home);
  const filter = { taskIds };
  const here = await batches.run({ isolation: 'worktree', parallelism: 2, filter, ...options });
  expect(essence(directory, fleet.attempts)).toEqual(essence(here.directory, here.attempts));
  expect(fleet.status).toBe('finished');
  return { submitter, fleet, id };
}

test('golden items on another machine have the outcomes, identities and patches of a local run', async () => {
  const taskIds = ['fix-typo-001', 'fix-import-001'];
  const { submitter, fleet, id } = await compareWithLocal({ dataset: 'golden', agent: 'oracle', taskIds });
  expect(fleet.attempts.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
  const lines = readFileSync(join(fleet.directory, 'index.jsonl'), 'utf8').trim().split('\n');
  expect(lines).toHaveLength(2);
  const resumed = await openBatches(submitter.context, submitter.home).resume(id);
  expect(resumed.attempts).toEqual(fleet.attempts);
});

const item: EvalItem = {
  id: 'made',
  description: 'make it',
  base: { kind: 'files', files: { 'a.txt': 'a\n', 'run.sh': 'true\n' }, executable: ['run.sh'] },
  hidden: { 'hidden/check.sh': 'test "$(cat made.txt)" = made\n' },
  graders: [{ kind: 'command', run: 'sh hidden/check.sh && test -x run.sh' }],
};

test('a script travels with its bytes, and a resumed run does not repeat it', async () => {
  const script = join(tempDir(), 'agent.sh');
  writeFileSync(script, '#!/bin/sh\necho working\necho made > made.txt\n', { mode: 0o755 });
  const dataset = writeDataset([item]);
  const { submitter, fleet, id } = await compareWithLocal({ dataset, agent: script });
  expect(fleet.attempts).toMatchObject([{ outcome: 'passed' }]);
  expect(readFileSync(join(fleet.directory, 'attempts/made/1/agent.log'), 'utf8')).toContain('working');
  const resumed = await openBatches(submitter.context, submitter.home).resume(id);
  expect(resumed.attempts).toEqual(fleet.attempts);
});

thoroughTest('a module travels with its bytes', async () => {
  const module = join(tempDir(), 'agent.mjs');
  writeFileSync(
    module,
    `import { setTimeout } from 'node:timers/promises';
     export default async ({ tools }) => { await setTimeout(1); await tools.write_file.run({ path: 'made.txt', content: 'made\\n' }); return 'done'; };`,
  );
  const { fleet } = await compareWithLocal({ dataset: writeDataset([item]), agent: module });
  expect(fleet.attempts).toMatchObject([{ outcome: 'passed', message: 'done' }]);
});

thoroughTest('directories and repositories of the submitter become content', async () => {
  const directory = tempDir();
  writeFiles(directory, { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  const repository = makeRepository();
  commitFiles(repository, { 'c.txt': 'c\n' }, 'c');
  const grade = (run: string): Pick<EvalItem, 'graders'> => ({ graders: [{ kind: 'command', run }] });
  const items: EvalItem[] = [
    { id: 'directory', description: 'x', base: { kind: 'directory', directory }, ...grade('cat sub/b.txt') },
    {
      id: 'git',
      description: 'x',
      base: { kind: 'git', url: repository, commit: 'HEAD' },
      ...grade('test "$(git rev-list --count --all)" = 1 && cat c.txt'),
    },
  ];
  const { fleet } = await compareWithLocal({ dataset: writeDataset(items), agent: 'nop' });
  expect(fleet.attempts.map(({ outcome }) => outcome)).toEqual(['passed', 'passed']);
});

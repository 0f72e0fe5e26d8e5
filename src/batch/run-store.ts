import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Attempt } from '../domain/attempt.js';
import type { BatchPlan, BatchRun } from '../domain/batch-run.js';
import { carrelError, ignoreMissing } from '../domain/error.js';
import { isFinal } from '../domain/outcome.js';
import type { Usage } from '../domain/usage.js';
import { explainFullDisk } from '../git/disk-full.js';
import type { Context } from '../operations/context.js';
import { openIndexFile, readIndexFile, readUsage } from './index-file.js';
import { findLivingOwner, giveUpOwnership, isForsaken, takeOwnership } from './owner-file.js';
import { type RunPlace, runPlace } from './run-place.js';
import { summarize } from './summarize.js';

/** A batch run that this process works on. */
export interface OpenRun {
  readonly plan: BatchPlan;
  readonly place: RunPlace;
  /** What was there when it was opened, and what was recorded since. */
  attempts(): readonly Attempt[];
  /** By all attempts until it was opened, also those that have to be made again. */
  readonly spentBefore: Usage;
  /** Keeps an attempt for good: its own file first, then its line in the index. DISK_FULL. */
  record(attempt: Attempt): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Where runs are, and where the pointers to those lie that were put elsewhere. */
export const runsDirectory = (context: Context): string => join(context.places.stateDir, 'runs');

const pointerOf = (context: Context, id: string): string => join(runsDirectory(context), `${id}.json`);

/** Makes the directory of a run, with its plan; `out` is where the user wants it. */
export async function createRun(context: Context, plan: BatchPlan, out?: string): Promise<OpenRun> {
  const directory = out ?? join(runsDirectory(context), plan.id);
  try {
    await mkdir(directory, { recursive: true });
    const place = runPlace(directory);
    await requireEmpty(place);
    await writeWhole(place.planFile, plan);
    await mkdir(runsDirectory(context), { recursive: true });
    await writeWhole(pointerOf(context, plan.id), { directory });
  } catch (error) {
    throw await explainFullDisk(error, [dirname(directory)]);
  }
  return openRun(context, directory);
}

/** What has the name of something of ours is another run's, or the user's: it would be written over, and go with the run. */
async function requireEmpty(place: RunPlace): Promise<void> {
  const { planFile, indexFile, ownerFile, reportFile, attemptsDirectory } = place;
  const taken = [planFile, indexFile, ownerFile, reportFile, attemptsDirectory].find(path =>
    existsSync(path),
  );
  if (taken === undefined) return;
  throw carrelError('INVALID_INPUT', {
    what: 'the directory for the results',
    found: taken === planFile ? `${place.directory} with a run in it` : `${taken}, which is there already`,
    expected: 'a new or empty directory',
  });
}

/** RUN_BUSY while another process works on it. */
export async function openRun(context: Context, directory: string): Promise<OpenRun> {
  const place = runPlace(directory);
  const plan = await readPlan(place);
  if (!(await takeOwnership(place.ownerFile, context.self))) {
    const owner = await findLivingOwner(place.ownerFile);
    throw carrelError('RUN_BUSY', { id: plan.id, pid: owner?.pid ?? 0 });
  }
  const index = await openIndexFile(place.indexFile);
  const attempts = new Map((await readIndexFile(place.indexFile)).map(each => [keyOf(each), each]));
  const spentBefore = await readUsage(place.indexFile);
  return {
    plan,
    place,
    attempts: () => [...attempts.values()],
    spentBefore,
    record: async attempt => {
      const { recordFile, directory: own } = place.attempt(attempt.taskId, attempt.attempt);
      try {
        await mkdir(own, { recursive: true });
        await writeWhole(recordFile, attempt);
        await index.append(attempt);
      } catch (error) {
        throw await explainFullDisk(error, [directory]);
      }
      attempts.set(keyOf(attempt), attempt);
    },
    close: async () => {
      await index.close().catch(() => undefined);
      await giveUpOwnership(place.ownerFile);
    },
  };
}

const keyOf = ({ taskId, attempt }: Attempt): string => `${taskId} ${attempt}`;

/** A run as it is on disk, whoever works on it. */
export async function readRun(directory: string): Promise<BatchRun> {
  const place = runPlace(directory);
  const plan = await readPlan(place);
  const attempts = await readIndexFile(place.indexFile);
  const status = await findStatus(place, plan, attempts);
  return summarize({ plan, directory, status, attempts, spent: await readUsage(place.indexFile) });
}

async function findStatus(
  place: RunPlace,
  plan: BatchPlan,
  attempts: readonly Attempt[],
): Promise<BatchRun['status']> {
  if (await findLivingOwner(place.ownerFile)) return 'running';
  const final = attempts.filter(({ outcome }) => isFinal(outcome)).length;
  if (final >= plan.taskIds.length * plan.attemptsPerTask) return 'finished';
  return (await isForsaken(place.ownerFile)) ? 'interrupted' : 'stopped';
}

async function readPlan({ planFile, directory }: RunPlace): Promise<BatchPlan> {
  const text = await readFile(planFile, 'utf8').catch(ignoreMissing);
  if (text === undefined) throw carrelError('RUN_NOT_FOUND', { id: directory, known: [] });
  try {
    return JSON.parse(text);
  } catch (error) {
    const details = { what: planFile, found: 'no JSON', expected: 'the plan of a run' };
    throw carrelError('INVALID_INPUT', details, error);
  }
}

/** All of it or what was there before. */
async function writeWhole(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

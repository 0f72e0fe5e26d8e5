import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Usage } from '../../domain/agent/usage.js';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchPlan, BatchRun } from '../../domain/batch/batch-run.js';
import { isFinal } from '../../domain/batch/outcome-rules.js';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { isHeld, keepHeartbeat } from '../../exec/filesystem/heartbeat-file.js';
import { explainFullDisk } from '../../git/disk/disk-full.js';
import {
  describeHost,
  findLivingOwner,
  heartbeatOf,
  isOwnerGone,
  releaseOwnership,
  takeOwnership,
} from '../../operations/batch/owner-file.js';
import type { Context } from '../../operations/context.js';
import { keyOf, latestOf, openIndexFile, readIndexFile, sumUsage } from './attempt-index-file.js';
import { readMissing } from './missing-records.js';
import { type RunPlace, runPlace } from './run-place.js';
import { summarize } from './summarize-run.js';

/** A batch run that this process works on. */
export interface OpenRun {
  readonly plan: BatchPlan;
  readonly place: RunPlace;
  /** Attempts recorded before it was opened and since. */
  attempts(): readonly Attempt[];
  /** Spent by all attempts before it was opened, including those that must run again. */
  readonly spentBefore: Usage;
  /** Aborted when another process has taken over the run; it must not be changed then. */
  readonly lost: AbortSignal;
  /** Call before anything that costs money. RUN_LOST when another process has taken over the run. */
  requireOurs(): void;
  /** Records an attempt durably: its own file first, then its line in the index. DISK_FULL, RUN_LOST. */
  record(attempt: Attempt): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Directory of runs, and of the pointers to runs in other directories. */
export const runsDirectory = (context: Pick<Context, 'places'>): string =>
  join(context.places.stateDir, 'runs');

const pointerOf = (context: Pick<Context, 'places'>, id: string): string =>
  join(runsDirectory(context), `${id}.json`);

/** Creates the directory of a run, with its plan; `out` is the user's choice of directory. */
export async function createRun(
  context: Pick<Context, 'self' | 'places' | 'redactor' | 'narrate'>,
  plan: BatchPlan,
  out?: string,
): Promise<OpenRun> {
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

/** An existing file with one of our names belongs to another run or the user: it would be overwritten, and removed with the run. */
async function requireEmpty(place: RunPlace): Promise<void> {
  const { planFile, indexFile, ownerFile, reportFile, attemptsDirectory } = place;
  const taken = [planFile, indexFile, ownerFile, reportFile, attemptsDirectory].find(path =>
    existsSync(path),
  );
  if (taken === undefined) return;
  throw carrelError('INVALID_INPUT', {
    what: 'the directory for the results',
    found: taken === planFile ? `${place.directory} with a run in it` : `${taken}, which already exists`,
    expected: 'a new or empty directory',
  });
}

/** RUN_BUSY while another process works on it. */
export async function openRun(
  context: Pick<Context, 'self' | 'redactor' | 'narrate'>,
  directory: string,
): Promise<OpenRun> {
  const place = runPlace(directory);
  const plan = await readPlan(place);
  if (!(await takeOwnership(place.ownerFile, context.self))) {
    const owner = await findLivingOwner(place.ownerFile);
    throw carrelError('RUN_BUSY', { id: plan.id, pid: owner?.pid ?? 0, where: describeHost(owner) });
  }
  const hold = holdRun(context, plan, place);
  const index = await openIndexFile(place.indexFile);
  const lines = await readIndexFile(place.indexFile);
  const missing = await readMissing(place, plan, lines);
  for (const attempt of missing) await index.append(attempt);
  if (missing.length > 0) context.narrate(describeMissing(place, missing.length));
  const attempts = new Map([...lines, ...missing].map(each => [keyOf(each), each]));
  const spentBefore = sumUsage([...lines, ...missing]);
  return {
    plan,
    place,
    attempts: () => [...attempts.values()],
    spentBefore,
    lost: hold.lost,
    requireOurs: hold.require,
    record: async told => {
      hold.require();
      const attempt = withoutSecrets(context, told);
      const { recordFile, directory: own } = place.attempt(attempt.taskId, attempt.attempt);
      try {
        await mkdir(own, { recursive: true });
        await writeWhole(recordFile, attempt);
        hold.require();
        await index.append(attempt);
      } catch (error) {
        throw await explainFullDisk(error, [directory]);
      }
      attempts.set(keyOf(attempt), attempt);
    },
    close: async () => {
      await index.close().catch(() => undefined);
      hold.stop();
      await releaseOwnership(place.ownerFile, context.self);
    },
  };
}

/** Sends a heartbeat while this process has the run, and notices when it has lost it. */
function holdRun({ self }: Pick<Context, 'self'>, { id }: BatchPlan, { ownerFile, directory }: RunPlace) {
  const sign = heartbeatOf(ownerFile, self);
  const controller = new AbortController();
  const stop = keepHeartbeat(sign, () => controller.abort());
  const require = (): void => {
    if (isHeld(sign)) return;
    controller.abort();
    throw carrelError('RUN_LOST', { id, directory });
  };
  return { lost: controller.signal, require, stop };
}

const describeMissing = ({ indexFile }: RunPlace, count: number): string =>
  `warning: ${count} ${count === 1 ? 'result was' : 'results were'} missing from ${indexFile}; restored from the files of the attempts`;

/** Text of agents, graders and errors is redacted; other fields are Carrel's own and identify the attempt. */
export function withoutSecrets({ redactor }: Pick<Context, 'redactor'>, attempt: Attempt): Attempt {
  const { message, findings, graders } = attempt;
  return { ...attempt, ...redactor.within({ message, findings, graders }) };
}

/** A run as it is on disk, even while another process works on it. */
export async function readRun(directory: string): Promise<BatchRun> {
  const place = runPlace(directory);
  const plan = await readPlan(place);
  const found = await readIndexFile(place.indexFile);
  const lines = [...found, ...(await readMissing(place, plan, found))];
  const attempts = latestOf(lines);
  const status = await findStatus(place, plan, attempts);
  return summarize({ plan, directory, status, attempts, spent: sumUsage(lines) });
}

async function findStatus(
  place: RunPlace,
  plan: BatchPlan,
  attempts: readonly Attempt[],
): Promise<BatchRun['status']> {
  if (await findLivingOwner(place.ownerFile)) return 'running';
  const final = attempts.filter(({ outcome }) => isFinal(outcome)).length;
  if (final >= plan.taskIds.length * plan.attemptsPerTask) return 'finished';
  return (await isOwnerGone(place.ownerFile)) ? 'interrupted' : 'stopped';
}

async function readPlan({ planFile, directory }: RunPlace): Promise<BatchPlan> {
  const text = await readFile(planFile, 'utf8').catch(ignoreMissing);
  if (text === undefined) throw carrelError('RUN_NOT_FOUND', { id: directory, known: [] });
  try {
    return JSON.parse(text);
  } catch (error) {
    const details = { what: planFile, found: 'invalid JSON', expected: 'the plan of a run' };
    throw carrelError('INVALID_INPUT', details, error);
  }
}

/** Atomic: writes all of it or keeps the old content. */
async function writeWhole(file: string, value: unknown): Promise<void> {
  const draft = `${file}.${process.pid}.draft`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}

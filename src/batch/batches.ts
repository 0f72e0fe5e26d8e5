import type { BatchRun } from '../domain/batch-run.js';
import type { Comparison } from '../domain/comparison.js';
import type { CheckedItem, DatasetReport, RunRemoval } from '../domain/eval-report.js';
import type { Context } from '../operations/context.js';
import { findRepository } from '../operations/find.js';
import { type CheckInput, checkDataset } from './check-dataset.js';
import { describeDataset } from './datasets/describe-dataset.js';
import { findRun, listRuns } from './find-run.js';
import type { BatchObserver } from './observer.js';
import { type BatchWishes, planBatch } from './plan-batch.js';
import { regradeRun } from './regrade-run.js';
import { removeRun } from './remove-run.js';
import { reopenItems, reopenRun } from './reopen-run.js';
import { compareRuns } from './report/compare-runs.js';
import { runBatch } from './run-batch.js';
import { createRun, readRun } from './run-store.js';

/** A data set and an agent are enough: one attempt of each task, one at a time. */
export interface BatchOptions
  extends Pick<BatchWishes, 'dataset' | 'agent'>,
    Partial<Omit<BatchWishes, 'dataset' | 'agent' | 'repositoryRoot'>> {
  /** Where results are kept; Carrel's state directory when left out. */
  readonly out?: string | undefined;
}

/** How a batch is followed and ended from outside. */
export interface BatchControl {
  /** Begins no more attempts; those that run come to their end. */
  readonly drain?: AbortSignal | undefined;
  /** Ends those that run as well. */
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
}

export interface CheckOptions extends Partial<Omit<CheckInput, 'dataset' | 'stop' | 'observer'>> {
  readonly dataset: string;
}

/** Batches for programs: what `carrel eval` does. A run is named by its id, a beginning of it, its directory, or `latest`. */
export interface Batches {
  /** Works through a data set. What came of it is a result, and so is a gate that was not met. */
  run(options: BatchOptions, control?: BatchControl): Promise<BatchRun>;
  /** Does what is left of a run. One whose agent is a function of a program needs that once more. */
  resume(run: string, options?: BatchControl & { readonly agent?: BatchOptions['agent'] }): Promise<BatchRun>;
  /** Judges the work of a run by the graders as they are now. No agent runs. */
  grade(run: string, control?: Omit<BatchControl, 'drain'>): Promise<BatchRun>;
  /** Newest first. */
  list(): Promise<BatchRun[]>;
  show(run: string): Promise<BatchRun>;
  /** With the files that were kept of its attempts. */
  remove(run: string): Promise<RunRemoval>;
  /** The others with the first. */
  compare(runs: readonly string[]): Promise<Comparison>;
  /** Whether the tasks of a data set judge what they should; what does not goes into quarantine. */
  check(options: CheckOptions, control?: Omit<BatchControl, 'drain'>): Promise<CheckedItem[]>;
  datasets(dataset?: string): Promise<DatasetReport>;
}

export function openBatches(context: Context, repository: string): Batches {
  const findRoot = async () => (await findRepository(context, repository))?.root ?? null;
  const show = async (name: string) => readRun(await findRun(context, name));
  return {
    run: async ({ out, ...options }, control = {}) => {
      const usual = { filter: {}, attempts: 1, parallelism: 1, repositoryRoot: await findRoot() };
      const signal = endOf(control);
      const { plan, items, agent } = await planBatch(context, { ...usual, signal, ...options });
      return runBatch(context, { run: await createRun(context, plan, out), items, agent, ...control });
    },
    resume: async (name, { agent, ...control } = {}) => {
      const given = { repositoryRoot: await findRoot(), given: agent, signal: endOf(control) };
      return runBatch(context, { ...(await reopenRun(context, name, given)), ...control });
    },
    grade: async (name, control = {}) =>
      regradeRun(context, { ...(await reopenItems(context, name, control.stop)), ...control }),
    list: () => listRuns(context),
    show,
    remove: name => removeRun(context, name),
    compare: async names => compareRuns(await Promise.all(names.map(show))),
    check: (options, control = {}) =>
      checkDataset(context, { filter: {}, parallelism: 2, repeats: 3, ...options, ...control }),
    datasets: (dataset = 'golden') => describeDataset(context, dataset),
  };
}

/** While nothing has begun there is nothing to bring to its end. */
const endOf = ({ drain, stop }: BatchControl): AbortSignal =>
  AbortSignal.any([drain, stop].filter(signal => signal !== undefined));

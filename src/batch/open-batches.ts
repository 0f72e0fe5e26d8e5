import type { BatchRun } from '../domain/batch/batch-run.js';
import type { CheckedItem } from '../domain/batch/eval-report.js';
import type { Context } from '../operations/context.js';
import { findRepository } from '../operations/workspace/find-workspace.js';
import type { BatchObserver } from './batch-observer.js';
import { type CheckInput, checkDataset } from './check-dataset.js';
import { type PlanOptions, planBatch } from './plan/plan-batch.js';
import { reopenItems, reopenRun } from './plan/reopen-run.js';
import { listRuns } from './record/find-run.js';
import { createRun } from './record/run-store.js';
import { regradeRun } from './run/regrade-run.js';
import { runBatch } from './run-batch.js';

/** Only the dataset and the agent are required: one attempt of each task, one at a time. */
export interface BatchOptions
  extends Pick<PlanOptions, 'dataset' | 'agent'>,
    Partial<Omit<PlanOptions, 'dataset' | 'agent' | 'repositoryRoot' | 'runsElsewhere'>> {
  /** Where results are stored; Carrel's state directory by default. */
  readonly out?: string | undefined;
}

/** How a caller watches and stops a batch. */
export interface BatchControl {
  /** Starts no more attempts; running ones finish. */
  readonly drain?: AbortSignal | undefined;
  /** Also stops running attempts. */
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
}

/** Which dataset `batches.check` checks, and how. */
export interface CheckOptions extends Partial<Omit<CheckInput, 'dataset' | 'stop' | 'observer'>> {
  readonly dataset: string;
}

/** What programs have in another form: agents can be functions, and attempts are watched. A run is named by its id, a prefix of it, its directory, or `latest`. */
export interface Batches {
  /** Runs a dataset. Failures are part of the result, and so is a gate that was not met. */
  run(options: BatchOptions, control?: BatchControl): Promise<BatchRun>;
  /** Runs the remaining attempts of a run. When its agent is a function, pass it again. */
  resume(run: string, options?: BatchControl & { readonly agent?: BatchOptions['agent'] }): Promise<BatchRun>;
  /** Grades the work of a run again with the current graders. No agent runs. */
  grade(run: string, control?: Omit<BatchControl, 'drain'>): Promise<BatchRun>;
  /** Newest first. */
  list(): Promise<BatchRun[]>;
  /** Checks a dataset for tasks that are broken, flaky or trivially solved, and quarantines them. */
  check(options: CheckOptions, control?: Omit<BatchControl, 'drain'>): Promise<CheckedItem[]>;
}

export function openBatches(context: Context, repository: string): Batches {
  const findRoot = async () => (await findRepository(context, repository))?.root ?? null;
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
    check: (options, control = {}) =>
      checkDataset(context, { filter: {}, parallelism: 2, repeats: 3, ...options, ...control }),
  };
}

/** Before anything has started there is nothing to finish. */
const endOf = ({ drain, stop }: BatchControl): AbortSignal =>
  AbortSignal.any([drain, stop].filter(signal => signal !== undefined));

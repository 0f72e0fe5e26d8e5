import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attempt } from '../domain/batch/attempt.js';
import type { EvalItem } from '../domain/batch/eval-item.js';
import type { CheckedItem } from '../domain/batch/eval-report.js';
import { isFinal } from '../domain/batch/outcome-rules.js';
import type { Context } from '../operations/context.js';
import type { BatchObserver } from './batch-observer.js';
import { type PlanOptions, planBatch } from './plan/plan-batch.js';
import { writeQuarantine } from './plan/quarantine.js';
import { createRun } from './record/run-store.js';
import { runBatch } from './run-batch.js';

export interface CheckInput
  extends Pick<PlanOptions, 'dataset' | 'filter' | 'isolation' | 'parallelism' | 'timeoutMs'> {
  /** How often the reference solution is tried. */
  readonly repeats: number;
  readonly stop?: AbortSignal | undefined;
  readonly observer?: BatchObserver | undefined;
}

/**
 * Checks the tasks of a dataset: the reference solution must pass every time, and doing nothing
 * must not. Unsound tasks are quarantined, and batches leave them out until they change.
 */
export async function checkDataset(context: Context, input: CheckInput): Promise<CheckedItem[]> {
  const often = input.repeats === 1 ? 'once' : `${input.repeats} times`;
  context.narrate(`running the reference solution of each task ${often}:`);
  const { items, attempts: oracle, skipped } = await tryAgent(context, input, 'oracle', input.repeats);
  context.narrate('running each task with no changes, which must not pass:');
  const { attempts: nop } = await tryAgent(context, input, 'nop', 1);
  const checked = items.map(item => ({
    item,
    ...gradeItem(item, input.repeats, of(oracle, item), of(nop, item)),
  }));
  await writeQuarantine(
    context,
    input.dataset,
    checked
      .filter(({ verdict }) => verdict !== 'unable')
      .map(({ item, verdict, reason }) => ({
        item,
        reason: verdict === 'sound' || verdict === 'unsolved' ? undefined : (reason ?? verdict),
      })),
  );
  return [
    ...checked.map(({ item, verdict, reason }) => ({ id: item.id, verdict, reason })),
    ...skipped.map(({ id, reason }) => ({ id, verdict: 'unable' as const, reason })),
  ];
}

const of = (attempts: readonly Attempt[], { id }: EvalItem): Attempt[] =>
  attempts.filter(({ taskId }) => taskId === id);

/** Stopped attempts and infrastructure failures say nothing about a task. */
export function gradeItem(
  item: Pick<EvalItem, 'solution'>,
  repeats: number,
  allOfOracle: readonly Attempt[],
  allOfNop: readonly Attempt[],
): Omit<CheckedItem, 'id'> {
  const [oracle, nop] = [allOfOracle, allOfNop].map(all => all.filter(({ outcome }) => isFinal(outcome))) as [
    Attempt[],
    Attempt[],
  ];
  const setup = findFailingSetup([...allOfOracle, ...allOfNop], repeats);
  const red = oracle.filter(({ outcome }) => outcome !== 'passed');
  if (nop.some(({ outcome }) => outcome === 'passed'))
    return { verdict: 'too-easy', reason: 'doing nothing passes' };
  if (setup !== undefined)
    return { verdict: 'broken', reason: `its setup fails every time: ${setup.message ?? ''}`.trim() };
  if (nop.length === 0 || (item.solution !== undefined && oracle.length < repeats))
    return { verdict: 'unable', reason: explainUnfinished([...allOfOracle, ...allOfNop]) };
  if (item.solution === undefined) return { verdict: 'unsolved', reason: 'it has no reference solution' };
  if (red.length === 0) return { verdict: 'sound', reason: null };
  const [first] = red;
  const why = `${first?.outcome}: ${first?.message ?? first?.graders.find(({ passed }) => !passed)?.detail ?? ''}`;
  return red.length === oracle.length
    ? { verdict: 'broken', reason: `the reference solution does not pass (${why.trim()})` }
    : {
        verdict: 'flaky',
        reason: `the reference solution passes ${oracle.length - red.length} of ${oracle.length} times`,
      };
}

/** Exit status of a shell when a program is missing or cannot be run: a problem of this machine, not of the task. */
const NO_PROGRAM: ReadonlySet<number> = new Set([126, 127]);

/** A setup that always fails with the same exit status is the task's own fault. */
function findFailingSetup(attempts: readonly Attempt[], repeats: number): Attempt | undefined {
  const [first] = attempts;
  const status = first?.setupExitCode ?? null;
  if (status === null || NO_PROGRAM.has(status) || attempts.length <= repeats) return undefined;
  return attempts.every(({ setupExitCode }) => setupExitCode === status) ? first : undefined;
}

function explainUnfinished(attempts: readonly Attempt[]): string {
  const unfinished = attempts.filter(({ outcome }) => !isFinal(outcome));
  return unfinished.find(({ message }) => message !== null)?.message ?? 'its attempts did not finish';
}

/** Uses a temporary directory: these are not results of an agent. */
async function tryAgent(context: Context, input: CheckInput, agent: string, attempts: number) {
  const { dataset, filter, isolation, parallelism, timeoutMs, stop, observer } = input;
  const planned = await planBatch(context, {
    ...{ dataset, filter, isolation, parallelism, timeoutMs, agent, attempts, signal: stop },
    repositoryRoot: null,
    withQuarantined: true,
  });
  const directory = await mkdtemp(join(context.places.temporaryRoot, 'carrel-check-'));
  try {
    const run = await createRun(context, planned.plan, directory);
    const { items, agent: resolved } = planned;
    const { attempts } = await runBatch(context, {
      run,
      items,
      agent: resolved,
      stop,
      observer,
      notify: false,
    });
    return { items, attempts: attempts, skipped: planned.plan.skipped };
  } finally {
    await forgetRun(context, planned.plan.id, directory);
  }
}

async function forgetRun(context: Pick<Context, 'places'>, id: string, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await rm(join(context.places.stateDir, 'runs', `${id}.json`), { force: true });
}

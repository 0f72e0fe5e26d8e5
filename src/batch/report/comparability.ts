import type { BatchRun } from '../../domain/batch-run.js';
import type { Comparison, TaskCell } from '../../domain/comparison.js';
import { isJudged } from '../../domain/outcome.js';
import { countOf } from './count-of.js';

/** Whether a task that goes by one name is one task. */
export function isSameTask(cells: readonly TaskCell[]): boolean {
  const hashes = new Set(cells.map(({ itemHash }) => itemHash));
  return hashes.size <= 1 && !hashes.has(null);
}

/** What was set differently. Often that is what one wants to compare; then it should be the only line. */
export function findDifferences(runs: readonly BatchRun[]): Comparison['differences'] {
  const versions = [...new Set(runs.flatMap(run => Object.keys(run.environment)))].map(
    (name): Setting => [`environment.${name}`, run => run.environment[name]],
  );
  return [...SETTINGS, ...versions].flatMap(([setting, read]) => {
    const values = runs.map(run => textOf(read(run)));
    return new Set(values).size > 1 ? [{ setting, values }] : [];
  });
}

type Setting = readonly [name: string, read: (run: BatchRun) => string | number | null | undefined];

const SETTINGS: readonly Setting[] = [
  ['dataset', run => run.dataset],
  ['agent', run => run.agent],
  ['model', run => run.model],
  ['isolation', run => run.isolation],
  ['attempts', run => run.attemptsPerTask],
  ['timeoutMs', run => run.timeoutMs],
  ['costLimitUsd', run => run.costLimitUsd],
];

const textOf = (value: string | number | null | undefined) => (value == null ? null : String(value));

interface Unfit {
  readonly notInAll: readonly string[];
  readonly changed: readonly string[];
}

/** Why the figures may mislead, for people. */
export function warnOfComparison(runs: readonly BatchRun[], { notInAll, changed }: Unfit): string[] {
  const warnings = [
    changed.length > 0 && `${countOf(changed.length, 'task')} changed between the runs: not compared`,
    notInAll.length > 0 && `${countOf(notInAll.length, 'task')} not in every run`,
    runs.length > 2 &&
      `${runs.length - 1} comparisons at once: p values are not corrected for that, divide your threshold by ${runs.length - 1}`,
    ...runs.flatMap(warnOfRun),
  ];
  return warnings.filter(warning => warning !== false);
}

function warnOfRun(run: BatchRun): readonly (string | false)[] {
  const unjudged = run.attempts.filter(({ outcome }) => !isJudged(outcome)).length;
  return [
    run.status !== 'finished' && `${run.id} is ${run.status}: attempts are missing`,
    unjudged > 0 &&
      `${run.id}: ${unjudged} of ${countOf(run.attempts.length, 'attempt')} could not be judged`,
  ];
}

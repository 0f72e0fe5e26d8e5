import type { BatchRun } from '../../../domain/batch/batch-run.js';
import type { Comparison, TaskCell } from '../../../domain/batch/comparison.js';
import { isGraded } from '../../../domain/batch/outcome-rules.js';
import { countOf } from '../count-of.js';

/** Whether tasks with the same name are the same task. */
export function isSameTask(cells: readonly TaskCell[]): boolean {
  const hashes = new Set(cells.map(({ itemHash }) => itemHash));
  return hashes.size <= 1 && !hashes.has(null);
}

/** What was set differently. Often this is the intended difference; then it should be the only line. */
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

/** Why the figures may be misleading, for human readers. */
export function warnOfComparison(runs: readonly BatchRun[], { notInAll, changed }: Unfit): string[] {
  const warnings = [
    changed.length > 0 && `${countOf(changed.length, 'task')} changed between the runs: not compared`,
    notInAll.length > 0 && `${countOf(notInAll.length, 'task')} not in every run`,
    runs.length > 2 &&
      `${runs.length - 1} comparisons at once: p-values are not corrected for this; divide your threshold by ${runs.length - 1}`,
    ...runs.flatMap(warnOfRun),
  ];
  return warnings.filter(warning => warning !== false);
}

function warnOfRun(run: BatchRun): readonly (string | false)[] {
  const unjudged = run.attempts.filter(({ outcome }) => !isGraded(outcome)).length;
  return [
    run.status !== 'finished' && `${run.id} is ${run.status}: attempts are missing`,
    unjudged > 0 &&
      `${run.id}: ${unjudged} of ${countOf(run.attempts.length, 'attempt')} could not be graded`,
  ];
}

import type { ComparedRun } from '../../../../../src/domain/batch/comparison.js';

/** A letter for each run, short enough for tables: A is the baseline. */
export const letterOf = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);

export const runName = ({ agent, model }: Pick<ComparedRun, 'agent' | 'model'>): string =>
  [agent, model].filter(Boolean).join(', ');

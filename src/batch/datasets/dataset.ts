import type { EvalItem } from '../../domain/batch/eval-item.js';

/** Where the tasks of a batch come from. */
export interface Dataset {
  readonly name: string;
  readonly format: 'golden' | 'carrel' | 'swe-bench' | 'harbor' | 'terminal-bench';
  readonly items: readonly EvalItem[];
  /** Unusable items with the reason; the others can run. */
  readonly broken: readonly BrokenItem[];
}

/** A task of a dataset that cannot be used, and why. */
export interface BrokenItem {
  readonly id: string;
  readonly reason: string;
}

/** Which tasks of a dataset to run. Without a filter, all of them. */
export interface ItemFilter {
  readonly taskIds?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly difficulty?: string | undefined;
  readonly language?: string | undefined;
  /** A random sample of N tasks, chosen by the seed. */
  readonly sample?: number | undefined;
  readonly seed?: string | undefined;
}

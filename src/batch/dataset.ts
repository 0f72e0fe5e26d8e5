import type { EvalItem } from '../domain/eval-item.js';

/** Where the tasks of a batch come from. */
export interface Dataset {
  readonly name: string;
  readonly format: 'golden' | 'carrel' | 'swe-bench' | 'harbor' | 'terminal-bench';
  readonly items: readonly EvalItem[];
  /** Items that can't be used, each with the reason; the others can run. */
  readonly broken: readonly BrokenItem[];
}

export interface BrokenItem {
  readonly id: string;
  readonly reason: string;
}

export interface ItemFilter {
  readonly taskIds?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly difficulty?: string | undefined;
  readonly language?: string | undefined;
  /** So many, chosen by the seed. */
  readonly sample?: number | undefined;
  readonly seed?: string | undefined;
}

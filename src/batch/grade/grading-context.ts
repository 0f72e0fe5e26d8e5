import type { EvalItem } from '../../domain/batch/eval-item.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import type { RestoredFiles } from './copy/hidden-files.js';
import type { PatchSection } from './copy/patch-sections.js';
import type { GradedVerdict } from './verdict.js';

/** What a grader works with: the prepared copy, and what the agent changed in it. */
export interface GradingBench {
  readonly item: EvalItem;
  readonly environment: TaskEnvironment;
  /** The agent's changes that are graded. */
  readonly sections: readonly PatchSection[];
  /** Restores the graders' own files between two commands, because tested code may have changed them. */
  readonly restore?: (() => Promise<RestoredFiles>) | undefined;
  /** Why the result of a finished command is ignored; undefined when it counts. */
  readonly doubt?: ((run: string) => Promise<GradedVerdict | undefined>) | undefined;
  readonly signal: AbortSignal;
  readonly onLine?: ((stream: 'stdout' | 'stderr' | 'activity', text: string) => void) | undefined;
}

import type { EvalItem } from '../../domain/eval-item.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import type { RestoredFiles } from './hidden-files.js';
import type { PatchSection } from './patch-sections.js';
import type { Judgement } from './verdict.js';

/** What a grader works with: the copy that is judged, ready, and what the agent changed in it. */
export interface GradingBench {
  readonly item: EvalItem;
  readonly environment: TaskEnvironment;
  /** The agent's changes that are graded. */
  readonly sections: readonly PatchSection[];
  /** Puts the graders' own files back, which the tested code may have changed; for between two commands. */
  readonly restore?: (() => Promise<RestoredFiles>) | undefined;
  /** Why nothing is believed of a command that is through, whatever it says; undefined when there is no reason. */
  readonly doubt?: ((run: string) => Promise<Judgement | undefined>) | undefined;
  readonly signal: AbortSignal;
  readonly onLine?: ((stream: 'stdout' | 'stderr' | 'activity', text: string) => void) | undefined;
}

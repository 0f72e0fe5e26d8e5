import type { Budget } from '../../attempt/limits/budget.js';
import type { BatchPlan } from '../../domain/batch/batch-run.js';
import type { Context } from '../../operations/context.js';
import type { EvalAgent } from '../eval-agent.js';
import type { IsolationProvider } from '../isolation-provider.js';
import type { RunPlace } from '../record/run-place.js';

/** Shared by all attempts of a batch. */
export interface BatchWork {
  readonly context: Context;
  readonly plan: Pick<BatchPlan, 'isolation' | 'timeoutMs' | 'keepFailed' | 'costLimitUsd'>;
  readonly place: RunPlace;
  readonly provider: IsolationProvider;
  readonly agent: EvalAgent;
  /** This machine's current environment, for the records: describe-environment.ts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Another machine grades: attempts end with a patch that awaits grading. */
  readonly isGradedElsewhere?: boolean | undefined;
  /** Of the whole batch. */
  readonly budget: Budget;
  /** Stops agents and graders immediately. */
  readonly stop: AbortSignal;
  /** RUN_LOST when another process has taken the run over. */
  readonly requireOurs: () => void;
}

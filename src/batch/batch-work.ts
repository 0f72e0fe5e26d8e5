import type { BatchPlan } from '../domain/batch-run.js';
import type { Context } from '../operations/context.js';
import type { CostLedger } from './cost-ledger.js';
import type { EvalAgent } from './eval-agent.js';
import type { IsolationProvider } from './isolation-provider.js';
import type { RunPlace } from './run-place.js';

/** What every attempt of a batch works with. */
export interface BatchWork {
  readonly context: Context;
  readonly plan: BatchPlan;
  readonly place: RunPlace;
  readonly provider: IsolationProvider;
  readonly agent: EvalAgent;
  /** Of this machine now, for the records: describe-environment.ts. */
  readonly environment: Readonly<Record<string, string>>;
  readonly ledger: CostLedger;
  /** Ends agents and graders at once. */
  readonly stop: AbortSignal;
}

import type { AgentProblem } from '../../agent/result-reader.js';
import { createBudget, type Excess } from '../../attempt/limits/budget.js';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { AgentRequest } from '../eval-agent.js';

export interface UsageWatch {
  /** Aborted by the caller's signal, and when a limit of the task is reached. */
  readonly signal: AbortSignal;
  report(usage: Usage): void;
  /** The limit that was reached, if any. */
  problem(): AgentProblem | undefined;
}

/** Reports what an agent uses, and stops it at the limits of its task. The batch's own limit comes with the request's signal. */
export function watchUsage({ item, signal, onUsage }: AgentRequest): UsageWatch {
  const budget = createBudget(item.limits ?? {}, NO_USAGE, describeExcess);
  let problem: AgentProblem | undefined;
  return {
    signal: AbortSignal.any([signal, budget.signal]),
    report: usage => {
      onUsage(usage);
      budget.report(item.id, usage);
      const text = budget.exceeded();
      if (text !== undefined) problem ??= { kind: 'limit', text };
    },
    problem: () => problem,
  };
}

const describeExcess = ({ unit, used, limit }: Excess): string =>
  `it has used ${unit === 'tokens' ? used : used.toFixed(2)} ${unit}; the task allows ${limit}`;

import { addUsage } from '../../domain/agent/add-usage.js';
import type { TaskLimits } from '../../domain/agent/agent.js';
import type { Usage } from '../../domain/agent/usage.js';

/** A budget of tokens and cost that several attempts share: all of a task, all of a batch, or one alone. */
export interface Budget {
  /** Aborted when the attempts together exceed the budget: stops all agents, and lets none start. */
  readonly signal: AbortSignal;
  /** Records what a running attempt has used so far, replacing its earlier report. */
  report(attempt: string, usage: Usage): void;
  /** Adds what an attempt has used permanently: another try under the same name is counted in addition. */
  close(attempt: string, usage: Usage): void;
  /** What an attempt has reported. */
  of(attempt: string): Usage | undefined;
  total(): Usage;
  /** US dollars that are left, below zero when it is exceeded; undefined without a cost limit. */
  leftUsd(): number | undefined;
  /** Text about what is used up; undefined while there is budget left. */
  exceeded(): string | undefined;
}

/** What was used more of than allowed. */
export interface Excess {
  readonly unit: 'tokens' | 'US dollars';
  readonly used: number;
  readonly limit: number;
}

export function createBudget(limits: TaskLimits, before: Usage, describe = describeExcess): Budget {
  const attempts = new Map<string, Usage>();
  const controller = new AbortController();
  let closed = before;
  const total = () => [...attempts.values()].reduce(addUsage, closed);
  const exceeded = () => {
    const excess = findExcess(limits, total());
    return excess && describe(excess);
  };
  const look = () => {
    const text = exceeded();
    // Tools of a function refuse with it from then on.
    if (text !== undefined) controller.abort(new Error(text));
  };
  look();
  return {
    signal: controller.signal,
    report: (attempt, usage) => {
      attempts.set(attempt, usage);
      look();
    },
    close: (attempt, usage) => {
      attempts.delete(attempt);
      closed = addUsage(closed, usage);
      look();
    },
    of: attempt => attempts.get(attempt),
    total,
    leftUsd: () => (limits.costUsd === undefined ? undefined : limits.costUsd - (total().costUsd ?? 0)),
    exceeded,
  };
}

function findExcess({ tokens, costUsd }: TaskLimits, used: Usage): Excess | undefined {
  const all = used.inputTokens + used.outputTokens;
  if (tokens !== undefined && all > tokens) return { unit: 'tokens', used: all, limit: tokens };
  const cost = used.costUsd ?? 0;
  if (costUsd !== undefined && cost > costUsd) return { unit: 'US dollars', used: cost, limit: costUsd };
  return undefined;
}

const describeExcess = ({ unit, used, limit }: Excess): string =>
  `${unit === 'tokens' ? used : used.toFixed(4)} ${unit} were used; the limit is ${limit}`;

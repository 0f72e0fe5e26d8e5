import type { TaskLimits } from '../../domain/agent/agent.js';

/** The lowest value of each limit. */
export function strictestLimits(...limits: readonly TaskLimits[]): TaskLimits {
  const tokens = least(limits.map(limit => limit.tokens));
  const costUsd = least(limits.map(limit => limit.costUsd));
  return { ...(tokens !== undefined && { tokens }), ...(costUsd !== undefined && { costUsd }) };
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter(value => value !== undefined);
  return given.length === 0 ? undefined : Math.min(...given);
}

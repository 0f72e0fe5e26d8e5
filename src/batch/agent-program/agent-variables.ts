import type { AgentRequest } from '../eval-agent.js';

/** Environment variables of every program that works on a task. */
export function agentVariables(
  { item, environment, deadline, budgetUsd }: AgentRequest,
  model?: string | undefined,
): Record<string, string> {
  return {
    CARREL_TASK_ID: item.id,
    CARREL_WORKING_DIRECTORY: environment.workingDirectory,
    CARREL_DEADLINE: new Date(deadline).toISOString(),
    ...(budgetUsd !== undefined && { CARREL_BUDGET_USD: String(budgetUsd) }),
    ...(model !== undefined && { CARREL_MODEL: model }),
  };
}

import { createBudget } from '../../attempt/limits/budget.js';
import { identifyAttempt } from '../../batch/plan/attempt-identity.js';
import { describeMachine } from '../../batch/plan/describe-environment.js';
import { type AttemptJob, listJobs } from '../../batch/plan/resume-plan.js';
import { readRun } from '../../batch/record/run-store.js';
import { createProgress } from '../../batch/run/batch-progress.js';
import { startBatchWebhooks } from '../../batch/run/batch-webhooks.js';
import { NO_USAGE } from '../../domain/agent/add-usage.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import { registerServerToken } from '../../operations/command/register-secrets.js';
import type { Context } from '../../operations/context.js';
import { loadSubmitterKey } from '../travel/trust/submitter-key.js';
import { finishRounds } from './batch-rounds.js';
import type { FleetBatch, FleetInput } from './fleet-batch.js';

/**
 * Runs the remaining attempts of a run on a fleet, and mirrors each result into the run's directory as if it had been
 * made here. Results that the fleet already has are mirrored first. AGENT_CANNOT_TRAVEL, FLEET_UNAVAILABLE.
 */
export async function runOnFleet(context: Context, input: FleetInput): Promise<BatchRun> {
  const { run } = input;
  try {
    registerServerToken(context.redactor, context.places.stateDir);
    // The redactor learns what the user's file passes to agents.
    await context.loadConfig(null);
    const tellOfEnd = await startBatchWebhooks(context, run.plan);
    const batch = await openFleetBatch(context, input);
    await finishRounds(batch);
    run.requireOurs();
    await run.close();
    const ended = await readRun(run.place.directory);
    await tellOfEnd(ended);
    return ended;
  } finally {
    await run.close();
  }
}

async function openFleetBatch(context: Context, input: FleetInput): Promise<FleetBatch> {
  const { run, agent, items } = input;
  const { plan, place } = run;
  const identify = (item: AttemptJob['item'], attempt: number): string => {
    const { isolation, timeoutMs } = plan;
    return identifyAttempt({ item, fingerprint: agent.fingerprint, isolation, attempt, timeoutMs });
  };
  const budget = createBudget({ costUsd: plan.costLimitUsd ?? undefined }, run.spentBefore ?? NO_USAGE);
  return {
    ...{ context, input, budget, key: await loadSubmitterKey(context) },
    work: { context, plan, place, environment: await describeMachine(context, agent) },
    all: listJobs(items, plan.attemptsPerTask, identify, []),
    listLeft: () => listJobs(items, plan.attemptsPerTask, identify, run.attempts()),
    createProgress: jobs => createProgress(input.observer ?? {}, { run, budget, now: context.now, jobs }),
  };
}

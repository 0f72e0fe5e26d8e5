import type { Failure, FailureKind } from '../domain/failure.js';
import { commitMessage } from './commit-message.js';
import type { Desk } from './desk.js';
import type { Execution } from './execution.js';
import { keepOutputs } from './keep-outputs.js';
import type { AgentRun } from './run-agent.js';
import type { Attempt, AttemptEnding } from './run-attempt.js';
import { type CheckFailure, runChecks } from './run-checks.js';
import { settleWork } from './settle-work.js';

export interface AgentDone {
  readonly desk: Desk;
  /** The agent's last words. */
  readonly message: string | null;
  readonly run: AgentRun;
}

/** What follows an agent that says it is done: its work is committed, then checked, then its outputs are kept. */
export async function finishAttempt(
  execution: Execution,
  attempt: Attempt,
  done: AgentDone,
): Promise<AttemptEnding> {
  const { context, task, signal } = execution;
  const { record, stage } = attempt;
  const { message, run } = done;
  const { exitCode } = run.result;
  const settled = await settleWork(context, record, {
    before: attempt.before,
    message: commitMessage({ task: task.current(), stage: stage.name, agent: stage.agent, words: message }),
    signal,
  });
  context.onStep('task', `committed.${stage.name}`);
  if (settled.kind === 'failed')
    return fail(attempt, exitCode, { ...settled.failure, output: run.tail || null });
  const { commit } = settled;
  const { failed: check } = await runChecks(context, record, stage.checks ?? [], {
    signal,
    onLine: (stream, text) => execution.tell({ stage: stage.name, attempt: attempt.number, stream, text }),
  });
  if (signal.aborted) return { kind: 'cancelled' };
  if (check) return { ...fail(attempt, exitCode, describeCheck(check, task.current().id)), commit };
  const kept = await keepOutputs(context, task.current().id, stage.name, {
    declared: stage.outputs ?? [],
    collected: await done.desk.collect(),
    message,
  });
  context.onStep('task', `outputs-kept.${stage.name}`);
  if (kept.missing.length > 0)
    return { ...fail(attempt, exitCode, describeMissing(kept.missing, stage.agent)), commit };
  const warnings = [...settled.warnings, ...kept.warnings, ...warnOfLeftovers(run)];
  return { kind: 'succeeded', exitCode, message, outputs: kept.outputs, commit, warnings };
}

type Told = { readonly kind: FailureKind } & Pick<Failure, 'message' | 'hint' | 'output'>;

function fail(
  { stage }: Attempt,
  exitCode: number | null,
  told: Told,
): Extract<AttemptEnding, { kind: 'failed' }> {
  return { kind: 'failed', exitCode, failure: { stage: stage.name, ...told } };
}

function describeCheck(check: CheckFailure, taskId: string): Told {
  const how = check.timedOut ? 'did not end in time' : `ended with exit status ${check.exitCode ?? 'none'}`;
  return {
    kind: 'checks-failed',
    message: `the check ${JSON.stringify(check.command)} ${how}; expected 0`,
    hint: `look at the work, mend it or the check, then: carrel task retry ${taskId}`,
    output: check.output || null,
  };
}

const describeMissing = (missing: readonly string[], agent: string): Told => ({
  kind: 'outputs-missing',
  message: `the agent ${agent} left nothing of: ${missing.join(', ')}; expected a file for each, or last words`,
  hint: 'outputs are files in $CARREL_OUTPUT_DIR, named as the workflow names them',
  output: null,
});

const warnOfLeftovers = ({ result }: AgentRun): string[] =>
  result.leftovers > 0 ? [`${result.leftovers} process(es) that the agent left running were ended`] : [];

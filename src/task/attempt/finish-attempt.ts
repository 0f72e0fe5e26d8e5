import type { Handoff } from '../../attempt/handoff/handoff.js';
import type { AgentRun } from '../../attempt/run-agent.js';
import type { Failure, FailureKind } from '../../domain/task/failure.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import type { Execution } from '../execution.js';
import { commitMessage } from './commit/commit-message.js';
import { type CommittedRemainder, commitRemainingChanges } from './commit/commit-remaining-changes.js';
import { type CommittedWork, commitWork } from './commit/commit-work.js';
import { keepOutputs } from './handoff/keep-outputs.js';
import { type CheckFailure, runChecks } from './run-checks.js';
import type { StageAttempt, StageAttemptEnding } from './run-stage-attempt.js';
import type { HasChanged } from './watch/watch-shared-directory.js';

export interface AgentDone {
  readonly handoff: Handoff;
  /** The agent's final message. */
  readonly message: string | null;
  readonly run: AgentRun;
  readonly warnings: readonly string[];
  readonly askChange: HasChanged | undefined;
}

/** Runs after the agent reports success: commits its work, runs the checks, then stores its outputs. */
export async function finishAttempt(
  execution: Execution,
  attempt: StageAttempt,
  done: AgentDone,
): Promise<StageAttemptEnding> {
  const { run, message } = done;
  const { exitCode } = run.result;
  const committed = await commitAgentWork(execution, attempt, done);
  if (committed.kind === 'failed')
    return fail(attempt, exitCode, { ...committed.failure, output: run.tail || null });
  const checked = await check(execution, attempt, committed.commit);
  if (execution.signal.aborted) return { kind: 'cancelled' };
  const { commit, failed } = checked;
  if (failed) return { ...fail(attempt, exitCode, describeCheck(failed, execution)), commit };
  const kept = await storeOutputs(execution, attempt, done);
  if (kept.missing.length > 0)
    return { ...fail(attempt, exitCode, describeMissing(kept.missing, attempt.stage.agent)), commit };
  const warnings = [
    ...done.warnings,
    ...committed.warnings,
    ...checked.warnings,
    ...kept.warnings,
    ...warnOfLeftovers(run),
  ];
  const changed = await done.askChange?.();
  return { kind: 'succeeded', exitCode, message, outputs: kept.outputs, commit, changed, warnings };
}

async function commitAgentWork(
  { context, task, signal }: Execution,
  { record, stage, before }: StageAttempt,
  { message }: AgentDone,
): Promise<CommittedWork> {
  const { name, agent } = stage;
  const text = commitMessage({ task: task.current(), stage: name, agent, words: message });
  const committed = await commitWork(context, record, { before, message: text, signal });
  context.onStep('task', `committed.${name}`);
  return committed;
}

interface Checked extends CommittedRemainder {
  readonly failed?: CheckFailure;
}

/** Files that checks write, such as formatted code, are committed too: the next stages and the validation start from there. */
async function check(
  execution: Execution,
  { record, stage, number }: StageAttempt,
  before: string | null,
): Promise<Checked> {
  const { name, checks = [] } = stage;
  if (checks.length === 0) return { commit: before, warnings: [] };
  const { redactor } = execution.context;
  const environment = openEnvironment(execution.context, record);
  const checked = await runChecks({ environment, redactor }, checks, {
    signal: execution.signal,
    onLine: (stream, text) => execution.tell({ stage: name, attempt: number, stream, text }),
  });
  if (execution.signal.aborted) return { commit: before, warnings: [] };
  await execution.task.requireOurs();
  const what = 'changes made by its checks';
  return {
    ...checked,
    ...(await commitRemainingChanges(execution, record, { stage: name, agent: null, what, before })),
  };
}

async function storeOutputs(
  { context, task }: Execution,
  { stage }: StageAttempt,
  { handoff, message }: AgentDone,
) {
  const declared = stage.outputs ?? [];
  const collected = await handoff.collect();
  const kept = await keepOutputs(context, task.current().id, stage.name, { declared, collected, message });
  context.onStep('task', `outputs-kept.${stage.name}`);
  return kept;
}

type FailureReport = { readonly kind: FailureKind } & Pick<Failure, 'message' | 'hint' | 'output'>;

function fail(
  { stage }: StageAttempt,
  exitCode: number | null,
  report: FailureReport,
): Extract<StageAttemptEnding, { kind: 'failed' }> {
  return { kind: 'failed', exitCode, failure: { stage: stage.name, ...report } };
}

function describeCheck(check: CheckFailure, { task }: Execution): FailureReport {
  const how = check.timedOut ? 'timed out' : `exited with status ${check.exitCode ?? 'none'}`;
  return {
    kind: 'checks-failed',
    message: `the check ${JSON.stringify(check.command)} ${how}; expected 0`,
    hint: `look at the work, fix it or the check, then: carrel task retry ${task.current().id}`,
    output: check.output || null,
  };
}

const describeMissing = (missing: readonly string[], agent: string): FailureReport => ({
  kind: 'outputs-missing',
  message: `the agent ${agent} did not write these outputs: ${missing.join(', ')}; expected a file for each, or a final message`,
  hint: 'write outputs to $CARREL_OUTPUT_DIR, with the names in the workflow',
  output: null,
});

const warnOfLeftovers = ({ result: { leftovers = 0 } }: AgentRun): string[] =>
  leftovers > 0
    ? [`killed ${leftovers} ${leftovers === 1 ? 'process' : 'processes'} that the agent left running`]
    : [];

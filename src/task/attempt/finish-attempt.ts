import type { Handoff } from '../../attempt/handoff/handoff.js';
import type { AgentRun } from '../../attempt/run-agent.js';
import { runShell, type ShellOptions, type ShellPlace } from '../../attempt/run-shell.js';
import type { CommandResult } from '../../domain/command/command.js';
import type { Failure, FailureKind } from '../../domain/task/failure.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import type { Execution } from '../execution.js';
import { commitMessage } from './commit/commit-message.js';
import { type CommittedParts, commitParts } from './commit/commit-parts.js';
import { type CommittedRemainder, commitRemainingChanges } from './commit/commit-remaining-changes.js';
import { keepOutputs } from './handoff/keep-outputs.js';
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
  const checked = await check(execution, attempt, committed);
  if (execution.signal.aborted) return { kind: 'cancelled' };
  const { commit, commits, failed } = checked;
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
  return { kind: 'succeeded', exitCode, message, outputs: kept.outputs, commit, commits, changed, warnings };
}

async function commitAgentWork(
  { context, task, signal }: Execution,
  { record, stage, before, parts }: StageAttempt,
  { message }: AgentDone,
): Promise<CommittedParts> {
  const { name, agent } = stage;
  const text = commitMessage({ task: task.current(), stage: name, agent, words: message });
  const committed = await commitParts(context, record, { before, parts, message: text, signal });
  context.onStep('task', `committed.${name}`);
  return committed;
}

interface Checked extends CommittedRemainder {
  readonly failed?: CheckFailure;
}

interface CheckFailure extends Pick<CommandResult, 'exitCode' | 'timedOut'> {
  readonly command: string;
  /** The end of its output, with how it ended when the other fields do not show it; may be empty. */
  readonly output: string;
}

/** Runs the checks of a stage in order until one fails; the time limit is that of each. A cancel stops them without a failure: check the signal. */
export async function runChecks(
  place: ShellPlace,
  checks: readonly string[],
  options: ShellOptions,
): Promise<{ readonly failed?: CheckFailure }> {
  for (const command of checks) {
    const result = await runShell(place, { text: command, ...options });
    if (result.cancelled) return {};
    if (result.passed) continue;
    const { exitCode, timedOut } = result;
    const output = exitCode === null ? `${result.output}\nIt ${result.ending}.`.trimStart() : result.output;
    return { failed: { command, exitCode, timedOut, output } };
  }
  return {};
}

/** Files that checks write, such as formatted code, are committed too: the next stages and the validation start from there. */
async function check(
  execution: Execution,
  { record, stage, number }: StageAttempt,
  { commit: before, commits: parts }: Pick<CommittedRemainder, 'commit' | 'commits'>,
): Promise<Checked> {
  const { name, checks = [] } = stage;
  const unchanged = { commit: before, commits: parts, warnings: [] };
  if (checks.length === 0) return unchanged;
  const { redactor } = execution.context;
  const environment = openEnvironment(execution.context, record);
  const checked = await runChecks({ environment, redactor }, checks, {
    signal: execution.signal,
    onLine: (stream, text) => execution.tell({ stage: name, attempt: number, stream, text }),
  });
  if (execution.signal.aborted) return unchanged;
  await execution.task.requireOurs();
  const what = 'changes made by its checks';
  const remainder = { stage: name, agent: null, what, before, parts };
  return { ...checked, ...(await commitRemainingChanges(execution, record, remainder)) };
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
    hint: `review the work, fix it or the check, then: carrel task retry ${task.current().id}`,
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

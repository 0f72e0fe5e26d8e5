import type { Failure, FailureKind } from '../domain/failure.js';
import { commitMessage } from './commit-message.js';
import type { Desk } from './desk.js';
import type { Execution } from './execution.js';
import { keepOutputs } from './keep-outputs.js';
import type { AgentRun } from './run-agent.js';
import type { Attempt, AttemptEnding } from './run-attempt.js';
import { type CheckFailure, runChecks } from './run-checks.js';
import { type SettledRemainder, settleRemainder } from './settle-remainder.js';
import { type Settled, settleWork } from './settle-work.js';

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
  const { run, message } = done;
  const { exitCode } = run.result;
  const settled = await settle(execution, attempt, done);
  if (settled.kind === 'failed')
    return fail(attempt, exitCode, { ...settled.failure, output: run.tail || null });
  const checked = await check(execution, attempt, settled.commit);
  if (execution.signal.aborted) return { kind: 'cancelled' };
  const { commit, failed } = checked;
  if (failed) return { ...fail(attempt, exitCode, describeCheck(failed, execution)), commit };
  const kept = await keep(execution, attempt, done);
  if (kept.missing.length > 0)
    return { ...fail(attempt, exitCode, describeMissing(kept.missing, attempt.stage.agent)), commit };
  const warnings = [...settled.warnings, ...checked.warnings, ...kept.warnings, ...warnOfLeftovers(run)];
  return { kind: 'succeeded', exitCode, message, outputs: kept.outputs, commit, warnings };
}

async function settle(
  { context, task, signal }: Execution,
  { record, stage, before }: Attempt,
  { message }: AgentDone,
): Promise<Settled> {
  const { name, agent } = stage;
  const text = commitMessage({ task: task.current(), stage: name, agent, words: message });
  const settled = await settleWork(context, record, { before, message: text, signal });
  context.onStep('task', `committed.${name}`);
  return settled;
}

interface Checked extends SettledRemainder {
  readonly failed?: CheckFailure;
}

/** What checks write, as formatters do, is committed too: the next stages and the validation go on from there. */
async function check(
  execution: Execution,
  { record, stage, number }: Attempt,
  before: string | null,
): Promise<Checked> {
  const { name, checks = [] } = stage;
  if (checks.length === 0) return { commit: before, warnings: [] };
  const checked = await runChecks(execution.context, record, checks, {
    signal: execution.signal,
    onLine: (stream, text) => execution.tell({ stage: name, attempt: number, stream, text }),
  });
  if (execution.signal.aborted) return { commit: before, warnings: [] };
  const what = 'what its checks changed';
  return {
    ...checked,
    ...(await settleRemainder(execution, record, { stage: name, agent: null, what, before })),
  };
}

async function keep({ context, task }: Execution, { stage }: Attempt, { desk, message }: AgentDone) {
  const declared = stage.outputs ?? [];
  const collected = await desk.collect();
  const kept = await keepOutputs(context, task.current().id, stage.name, { declared, collected, message });
  context.onStep('task', `outputs-kept.${stage.name}`);
  return kept;
}

type Told = { readonly kind: FailureKind } & Pick<Failure, 'message' | 'hint' | 'output'>;

function fail(
  { stage }: Attempt,
  exitCode: number | null,
  told: Told,
): Extract<AttemptEnding, { kind: 'failed' }> {
  return { kind: 'failed', exitCode, failure: { stage: stage.name, ...told } };
}

function describeCheck(check: CheckFailure, { task }: Execution): Told {
  const how = check.timedOut ? 'did not end in time' : `ended with exit status ${check.exitCode ?? 'none'}`;
  return {
    kind: 'checks-failed',
    message: `the check ${JSON.stringify(check.command)} ${how}; expected 0`,
    hint: `look at the work, mend it or the check, then: carrel task retry ${task.current().id}`,
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

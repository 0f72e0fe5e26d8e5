import { findPreset } from '../../agent/presets.js';
import type { AgentProblem } from '../../agent/result-reader.js';
import type { Failure, FailureKind } from '../../domain/task/failure.js';
import type { ResolvedAgent, TaskRecord } from '../../domain/task/task.js';
import { formatDuration } from '../../domain/text/format-quantity.js';
import { type AttemptTime, moreTime } from './limits/attempt-time.js';
import { allowMore } from './limits/refuse-attempt.js';
import type { StageRun } from './run-stage-agent.js';

export interface FailedRun extends StageRun {
  readonly stage: string;
  readonly agent: ResolvedAgent;
  readonly time: AttemptTime;
  readonly problem: AgentProblem | undefined;
  readonly task: Pick<TaskRecord, 'id' | 'plan'>;
}

/** One sentence with what was found and what was expected, and the next command. */
export function describeFailure(kind: FailureKind, run: FailedRun): Failure {
  const output = run.tail || null;
  return { kind, stage: run.stage, output, ...describeKind(kind, run) };
}

function describeKind(kind: FailureKind, run: FailedRun): Pick<Failure, 'message' | 'hint'> {
  const { agent, problem } = run;
  const { id: taskId } = run.task;
  const logs = `read its log with: carrel task logs ${taskId}`;
  const reason = problem ? `: ${problem.text}` : '';
  switch (kind) {
    case 'program-missing':
      return { message: `cannot find the program of the agent ${agent.name}`, hint: installHint(agent) };
    case 'key-missing':
      return { message: `the model rejected the agent ${agent.name}${reason}`, hint: keyHint(agent) };
    case 'rate-limited':
      return {
        message: `the model of the agent ${agent.name} accepts no more requests for now${reason}`,
        hint: `retry later with: carrel task retry ${taskId}`,
      };
    case 'timed-out':
      return {
        message: `the agent ${agent.name} did not finish within ${formatDuration(run.time.leftMs)}`,
        hint: moreTime(taskId, run.time.leftMs),
      };
    case 'limit':
      return describeLimit(run, reason);
    case 'sandbox-failed':
      return {
        message: `the sandbox stopped before the agent ${agent.name} finished`,
        hint: `find the cause with: carrel doctor — then: carrel task retry ${taskId}`,
      };
    default:
      return { message: `the agent ${agent.name} ${describeExit(run)}${reason}`, hint: logs };
  }
}

function describeLimit(run: FailedRun, reason: string): Pick<Failure, 'message' | 'hint'> {
  const { agent, result, exceeded } = run;
  const { id, plan } = run.task;
  if (exceeded !== undefined) return { message: exceeded, hint: allowMore(id) };
  if (result.timedOut && run.time.isOfTask)
    return {
      message: `the time limit of the task was reached while ${agent.name} was working`,
      hint: moreTime(id, plan.timeoutMs ?? 0),
    };
  const limit = result.limit ?? 'its own';
  return {
    message: `the agent ${agent.name} reached a limit (${limit})${reason}`,
    hint: `raise that limit, then: carrel task retry ${id}`,
  };
}

function describeExit({ result }: FailedRun): string {
  if (result.signal !== null) return `was killed by ${result.signal}; expected exit status 0`;
  if (result.exitCode === 0) return 'reported a failure, with exit status 0';
  return `exited with status ${result.exitCode ?? 'none'}; expected 0`;
}

function installHint({ name, program }: ResolvedAgent): string {
  return program.kind === 'preset'
    ? findPreset(program.preset).install
    : `check the command of the agent ${name} with: carrel workflow check`;
}

function keyHint({ name, program }: ResolvedAgent): string {
  const keys = program.kind === 'preset' ? findPreset(program.preset).keys : [];
  return keys[0] === undefined
    ? `check the key of the agent ${name}`
    : `set a valid key with: export ${keys[0]}=...`;
}

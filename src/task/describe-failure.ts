import { findPreset } from '../agent/presets.js';
import type { AgentProblem } from '../agent/result-reader.js';
import type { Failure, FailureKind } from '../domain/failure.js';
import { formatDuration } from '../domain/quantity.js';
import type { ResolvedAgent, TaskRecord } from '../domain/task.js';
import { type AttemptTime, moreTime } from './attempt-time.js';
import { allowMore } from './refuse-attempt.js';
import type { AgentRun } from './run-agent.js';

export interface FailedRun extends AgentRun {
  readonly stage: string;
  readonly agent: ResolvedAgent;
  readonly time: AttemptTime;
  readonly problem: AgentProblem | undefined;
  readonly task: Pick<TaskRecord, 'id' | 'plan'>;
}

/** One sentence of what was got and what was expected, and what to do next. */
export function describeFailure(kind: FailureKind, run: FailedRun): Failure {
  const output = run.tail || null;
  return { kind, stage: run.stage, output, ...sayWhat(kind, run) };
}

function sayWhat(kind: FailureKind, run: FailedRun): Pick<Failure, 'message' | 'hint'> {
  const { agent, problem } = run;
  const { id: taskId } = run.task;
  const logs = `read what it did with: carrel task logs ${taskId}`;
  const told = problem ? `: ${problem.text}` : '';
  switch (kind) {
    case 'program-missing':
      return { message: `the program of the agent ${agent.name} was not found`, hint: installHint(agent) };
    case 'key-missing':
      return { message: `the agent ${agent.name} was refused by its model${told}`, hint: keyHint(agent) };
    case 'rate-limited':
      return {
        message: `the model of the agent ${agent.name} takes no more requests for now${told}`,
        hint: `try again later with: carrel task retry ${taskId}`,
      };
    case 'timed-out':
      return {
        message: `the agent ${agent.name} did not end within ${formatDuration(run.time.leftMs)}`,
        hint: moreTime(taskId, run.time.leftMs),
      };
    case 'limit':
      return describeLimit(run, told);
    case 'sandbox-failed':
      return {
        message: `the sandbox ended before the agent ${agent.name} did`,
        hint: `see what is wrong with: carrel doctor — then: carrel task retry ${taskId}`,
      };
    default:
      return { message: `the agent ${agent.name} ${describeExit(run)}${told}`, hint: logs };
  }
}

function describeLimit(run: FailedRun, told: string): Pick<Failure, 'message' | 'hint'> {
  const { agent, result, exceeded } = run;
  const { id, plan } = run.task;
  if (exceeded !== undefined) return { message: exceeded, hint: allowMore(id) };
  if (result.timedOut && run.time.isOfTask)
    return {
      message: `the time of the whole task was over while ${agent.name} worked`,
      hint: moreTime(id, plan.timeoutMs ?? 0),
    };
  const limit = result.limit ?? 'its own';
  return {
    message: `the agent ${agent.name} ran into a limit (${limit})${told}`,
    hint: `raise that limit, then: carrel task retry ${id}`,
  };
}

function describeExit({ result }: FailedRun): string {
  if (result.signal !== null) return `was ended by ${result.signal}; expected exit status 0`;
  if (result.exitCode === 0) return 'told of a failure, with exit status 0';
  return `ended with exit status ${result.exitCode ?? 'none'}; expected 0`;
}

function installHint({ name, program }: ResolvedAgent): string {
  return program.kind === 'preset'
    ? findPreset(program.preset).install
    : `look at the command of the agent ${name}: carrel workflow check`;
}

function keyHint({ name, program }: ResolvedAgent): string {
  const keys = program.kind === 'preset' ? findPreset(program.preset).keys : [];
  return keys[0] === undefined
    ? `check the key of the agent ${name}`
    : `set a valid key with: export ${keys[0]}=...`;
}

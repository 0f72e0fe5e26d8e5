import type { Invocation } from '../../agent/invocation.js';
import type { ResultReader } from '../../agent/result-reader.js';
import { MOST_LINE_CHARACTERS } from '../../agent/stream/line-splitter.js';
import type { Budget } from '../../attempt/limits/budget.js';
import { type AgentRun, describeUnread, runAgent } from '../../attempt/run-agent.js';
import type { OnLine } from '../../attempt/run-followed.js';
import { addUsage } from '../../domain/agent/add-usage.js';
import type { Usage } from '../../domain/agent/usage.js';
import type { Environment } from '../../domain/command/environment.js';
import type { Execution } from '../execution.js';

export interface StageRun extends AgentRun {
  /** The budget that was used up, as text. */
  readonly exceeded: string | undefined;
}

export interface StageCall {
  readonly stage: string;
  readonly attempt: number;
  readonly environment: Environment;
  readonly invocation: Invocation;
  readonly reader: ResultReader;
  /** Whether its output is machine-readable. */
  readonly isForPrograms: boolean;
  readonly timeoutMs: number;
  /** Receives every line of output. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** Output is read as a stream and goes to the log; very little is kept in memory. */
const KEPT_BYTES = 64 * 1024;
/** How often the usage of a running agent is saved in the store. */
const SAVE_MS = 2000;

/** Runs the agent of a stage once: its output goes to the log and to the live view, its usage to the budget. */
export async function runStageAgent(execution: Execution, call: StageCall): Promise<StageRun> {
  const { context, task, budget, tell, showActivity } = execution;
  const { stage, attempt, environment, invocation, reader, timeoutMs } = call;
  // This process may have been suspended since the last change, and another process may own the task.
  await task.requireOurs();
  const run = await runAgent({
    ...{ environment, redactor: context.redactor, invocation, reader, timeoutMs },
    signal: AbortSignal.any([execution.signal, budget.signal]),
    maxOutputBytes: KEPT_BYTES,
    onLine: createLineReporter(execution, call),
    onActivity: activity => {
      showActivity(stage, activity);
      tell({ stage, attempt, stream: 'activity', text: activity });
    },
    onUsage: createAccount(execution, call),
    onUnread: () => tell({ stage, attempt, stream: 'activity', text: describeUnread('a line') }),
  });
  // The next steps change the workspace, in which an agent of another process may be working by now.
  await task.requireOurs();
  // An agent that exited on its own has done its work; the next attempt is refused.
  return { ...run, exceeded: run.result.cancelled ? budget.exceeded() : undefined };
}

const createLineReporter =
  ({ tell }: Execution, { stage, attempt, isForPrograms, onText }: StageCall): OnLine =>
  (stream, text) => {
    onText?.(text);
    const isHidden = isForPrograms && stream === 'stdout';
    const shown = text.slice(0, MOST_LINE_CHARACTERS);
    tell({ stage, attempt, stream, text: shown, ...(isHidden && { isForPrograms }) });
  };

function createAccount(
  { context, task, budget }: Execution,
  { stage, attempt }: StageCall,
): (usage: Usage) => void {
  const before = task.stage(stage).usage;
  let savedAt = context.now();
  return usage => {
    budget.report(`${stage} ${attempt}`, usage);
    if (context.now() - savedAt < SAVE_MS) return;
    savedAt = context.now();
    // The end of the attempt saves it anyway; a failure here must not stop the agent.
    saveUsage(task, stage, addUsage(before, usage), budget).catch(() => undefined);
  };
}

const saveUsage = (task: Execution['task'], name: string, usage: Usage, budget: Budget) =>
  task.change(current => ({
    usage: budget.total(),
    stages: current.stages.map(stage => (stage.name === name ? { ...stage, usage } : stage)),
  }));

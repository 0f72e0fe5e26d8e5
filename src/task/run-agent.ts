import { classifyEnding } from '../agent/classify.js';
import type { Invocation } from '../agent/invocation.js';
import type { ResultReader } from '../agent/result-reader.js';
import { createSkimmer } from '../agent/skimmer.js';
import { addUsage } from '../domain/add-usage.js';
import type { Usage } from '../domain/usage.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { type CommandResult, runCommand } from '../operations/run-command.js';
import { createOutputTail } from '../workspace/output-tail.js';
import type { Budget } from './budget.js';
import type { Execution } from './execution.js';

export interface AgentRun {
  readonly result: CommandResult;
  readonly ending: ReturnType<typeof classifyEnding>;
  /** The end of what it printed. */
  readonly tail: string;
  /** The budget that ran out under it, in words. */
  readonly exceeded: string | undefined;
}

export interface AgentCall {
  readonly stage: string;
  readonly attempt: number;
  readonly invocation: Invocation;
  readonly reader: ResultReader;
  /** Whether what it prints is made for programs. */
  readonly isForPrograms: boolean;
  readonly timeoutMs: number;
}

/** The output itself is read as it comes and goes to the log; hardly any of it is kept in memory. */
const KEPT_BYTES = 64 * 1024;
/** How often the record in the store follows what a running agent has used. */
const SAVE_MS = 2000;

/** Runs an agent once: its output goes to the log, to the reader and to the live view, its use to the budget. */
export async function runAgent(
  execution: Execution,
  record: WorkspaceRecord,
  call: AgentCall,
): Promise<AgentRun> {
  const { context, budget } = execution;
  const { invocation, reader, timeoutMs } = call;
  const tail = createOutputTail();
  const account = createAccount(execution, call);
  const splitters = {
    stdout: createSkimmer(line => receive(execution, call, 'stdout', line)),
    stderr: createSkimmer(line => receive(execution, call, 'stderr', line)),
  };
  const result = await runCommand(context, record, {
    ...invocation,
    timeoutMs,
    signal: AbortSignal.any([execution.signal, budget.signal]),
    maxOutputBytes: KEPT_BYTES,
    onOutput: (stream, chunk) => {
      tail.add(chunk);
      splitters[stream].add(chunk);
      account();
    },
  });
  for (const splitter of Object.values(splitters)) splitter.end();
  account();
  // One that had ended by itself has done its work; the next attempt of anybody is refused.
  const exceeded = result.cancelled ? budget.exceeded() : undefined;
  if (result.exitCode !== null) reader.readExit?.(result.exitCode);
  const ending = classifyEnding({ ...result, problem: reader.problem() });
  return { result, ending, tail: tail.text(), exceeded };
}

function receive(
  { tell }: Execution,
  { stage, attempt, reader, isForPrograms }: AgentCall,
  stream: 'stdout' | 'stderr',
  text: string,
): void {
  const isHidden = isForPrograms && stream === 'stdout';
  tell({ stage, attempt, stream, text, ...(isHidden && { isForPrograms }) });
  if (stream === 'stdout') reader.readLine(text);
  else reader.readErrorLine(text);
}

/** After every piece of output: tells what the agent does, and counts what it has used. */
function createAccount(execution: Execution, call: AgentCall): () => void {
  const { context, task, budget } = execution;
  const { stage, attempt, reader } = call;
  const show = createNews(execution, call);
  const before = task.stage(stage).usage;
  let savedAt = context.now();
  return () => {
    show(reader.activity());
    budget.report(`${stage} ${attempt}`, reader.usage());
    if (context.now() - savedAt < SAVE_MS) return;
    savedAt = context.now();
    // The end of the attempt saves it for good; that this one failed is no reason to end the agent.
    saveUsage(task, stage, addUsage(before, reader.usage()), budget).catch(() => undefined);
  };
}

/** Tells an activity once, however often it is looked at. */
function createNews(
  { tell, showActivity }: Execution,
  { stage, attempt }: AgentCall,
): (activity: string | undefined) => void {
  let shown: string | undefined;
  return activity => {
    if (activity === undefined || activity === shown) return;
    shown = activity;
    showActivity(stage, activity);
    tell({ stage, attempt, stream: 'activity', text: activity });
  };
}

const saveUsage = (task: Execution['task'], name: string, usage: Usage, budget: Budget) =>
  task.change(current => ({
    usage: budget.total(),
    stages: current.stages.map(stage => (stage.name === name ? { ...stage, usage } : stage)),
  }));

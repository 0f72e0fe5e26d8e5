import type { Tools } from './tool.js';

/** An agent that is a function: the default export of a module that `carrel eval run --agent ./agent.mjs` names. */
export type AgentFunction = (work: AgentWork) => Promise<AgentAnswer | string | undefined> | Promise<void>;

export interface AgentWork {
  readonly task: { readonly id: string; readonly description: string };
  /** Absolute, as commands see it; inside a sandbox it need not exist on the machine itself. */
  readonly workingDirectory: string;
  /** Milliseconds since 1970. At this time the tools refuse, and what the function does from then on counts for nothing. */
  readonly deadline: number;
  /** US dollars that are left; undefined for no limit. */
  readonly budgetUsd: number | undefined;
  /** What `--model` said. */
  readonly model: string | undefined;
  /** They work in the workspace: inside the sandbox when it has one, else confined to the working directory. */
  readonly tools: Tools;
  /** Aborted at the deadline, when a limit is reached, and when the batch is stopped. */
  readonly signal: AbortSignal;
  /** Goes to the log of the attempt. */
  readonly log: (text: string) => void;
  /** Tells what was used so far, all in all; with it, limits are held while the function runs. */
  readonly reportUsage: (usage: AgentUsage) => void;
}

export interface AgentUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly costUsd?: number | null | undefined;
}

export interface AgentAnswer {
  /** Its last words, for the record. */
  readonly message?: string | undefined;
  /** All that was used, when it was not reported before. */
  readonly usage?: AgentUsage | undefined;
}

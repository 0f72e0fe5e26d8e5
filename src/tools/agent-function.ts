import type { Tools } from './tool.js';

/** An agent that is a function: the default export of a module that `carrel eval run --agent ./agent.mjs` names. */
export type AgentFunction = (work: AgentWork) => Promise<AgentAnswer | string | undefined> | Promise<void>;

export interface AgentWork {
  readonly task: { readonly id: string; readonly description: string };
  /** Absolute, as commands see it; the path of a sandbox may not exist on the host. */
  readonly workingDirectory: string;
  /** Milliseconds since 1970. After this time the tools refuse, and further work of the function is ignored. */
  readonly deadline: number;
  /** Remaining budget in US dollars; undefined for no limit. */
  readonly budgetUsd: number | undefined;
  /** The value of `--model`. */
  readonly model: string | undefined;
  /** They work in the workspace: inside its sandbox if it has one, otherwise confined to the working directory. */
  readonly tools: Tools;
  /** Aborted at the deadline, when a limit is reached, and when the batch is stopped. */
  readonly signal: AbortSignal;
  /** Writes to the log of the attempt. */
  readonly log: (text: string) => void;
  /** Reports the total usage so far, so that limits can be enforced while the function runs. */
  readonly reportUsage: (usage: AgentUsage) => void;
}

export interface AgentUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly costUsd?: number | null | undefined;
}

export interface AgentAnswer {
  /** Its final message, for the record. */
  readonly message?: string | undefined;
  /** Total usage, when it was not reported before. */
  readonly usage?: AgentUsage | undefined;
}

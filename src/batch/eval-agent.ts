import type { AgentProblem } from '../agent/result-reader.js';
import type { Usage } from '../domain/agent/usage.js';
import type { EvalItem } from '../domain/batch/eval-item.js';
import type { ResolvedAgent } from '../domain/task/task.js';
import type { TaskEnvironment } from './isolation-provider.js';

/** An agent that works on tasks of a batch: a program, a function, `oracle` or `nop`. */
export interface EvalAgent {
  /** The requested name; a file by its absolute path. */
  readonly name: string;
  /** What its results depend on: part of an attempt's identity. */
  readonly fingerprint: string;
  /** Version of its program, for the record; null when it has none. */
  readonly version: string | null;
  /** What it needs in a sandbox. */
  readonly needs: { readonly hosts: readonly string[]; readonly variables: readonly string[] };
  /** What another machine needs to open the same agent; missing when it is part of the calling program. */
  readonly source?: AgentSource | undefined;
  /** Works on a task until it is done, fails, or `signal` is aborted. Failing is a result. */
  attempt(request: AgentRequest): Promise<AgentResult>;
}

/** An agent as data: built in, a program with its settings, or a module. */
export type AgentSource =
  | { readonly kind: 'oracle' | 'nop' }
  | {
      readonly kind: 'program';
      readonly agent: ResolvedAgent;
      readonly model: string | undefined;
      /** How its output is read: as lines of JSON or text, or as its settings say. */
      readonly reads: 'plain' | 'as-set';
      /** Set for a program given by its path. */
      readonly content?: Buffer | undefined;
    }
  | { readonly kind: 'module'; readonly content: Buffer; readonly model: string | undefined };

/** One attempt, as an agent gets it: the task, the workspace, the deadline, the budget and where to report. */
export interface AgentRequest {
  readonly item: EvalItem;
  readonly environment: TaskEnvironment;
  /** Milliseconds since 1970. The agent gets it as CARREL_DEADLINE and is stopped then. */
  readonly deadline: number;
  /** US dollars that are left for this attempt; undefined for no limit. */
  readonly budgetUsd: number | undefined;
  readonly signal: AbortSignal;
  readonly onLine: (stream: 'stdout' | 'stderr' | 'activity', text: string) => void;
  /** Called with what was used so far; aborting `signal` is how a limit is enforced. */
  readonly onUsage: (usage: Usage) => void;
}

/** How the agent of an attempt finished, with its usage. Failing is a result, not an error. */
export interface AgentResult {
  readonly ending: 'done' | 'failed' | 'timed-out' | 'cancelled' | 'infrastructure';
  readonly exitCode: number | null;
  readonly usage: Usage;
  readonly message: string | null;
  readonly problem?: AgentProblem | undefined;
  readonly findings: readonly string[];
}

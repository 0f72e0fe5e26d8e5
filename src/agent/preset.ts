import type { PresetName, PromptWay } from '../domain/agent/agent.js';
import type { ResultReader } from './result-reader.js';

/** How one of the known agents is called non-interactively. */
export interface Preset {
  readonly name: PresetName;
  /** For people: `Claude Code`. */
  readonly title: string;
  /** Looked up on PATH. */
  readonly program: string;
  /** How to install it, as a hint. */
  readonly install: string;
  /** Variables with a key; one of them is enough. Inside a sandbox only its own call has them. */
  readonly keys: readonly string[];
  /** Other variables of the user that it reads and that contain no foreign secret, such as a base URL. */
  readonly variables: readonly string[];
  /** The hosts of its models; `allowlist` permits them. */
  readonly hosts: readonly string[];
  /** Files that it keeps for itself in the working tree, as git patterns from the root; they are not part of the work. */
  readonly leftovers?: readonly string[] | undefined;
  /** How it gets its prompt; stdin if possible, because an argument is limited to 128 KiB on Linux. */
  readonly prompt: PromptWay;
  /** When it reports its cost and tokens. A limit can stop only an agent that reports in time. */
  readonly reportsCost: UsageTiming;
  readonly reportsTokens: UsageTiming;
  /** Whether it stops at `budgetUsd` on its own. */
  readonly holdsBudget?: boolean | undefined;
  /** Whether it needs an argument on the host that allows everything, because nothing less works. */
  readonly allowsAllOnHost?: boolean | undefined;
  /** Its non-interactive arguments, without the program. A prompt that is an argument is in them. */
  arguments(request: PresetRequest): readonly string[];
  environment(request: PresetRequest): Readonly<Record<string, string>>;
  /** A reader for the output of one run. */
  createReader(): ResultReader;
}

export type UsageTiming = 'while-running' | 'at-the-end' | 'never';

export interface PresetRequest {
  readonly prompt: string;
  /** As the agent sees it. */
  readonly promptFile: string;
  /** As the agent sees it: the only directory outside the working tree that it has to write to. */
  readonly outputDir: string;
  readonly model: string | undefined;
  /** Additional arguments from the configuration, where the program accepts options. */
  readonly further: readonly string[];
  /** Whether it runs in our sandbox, so that its own is turned off. */
  readonly isSandboxed: boolean;
  /** Its remaining budget in US dollars; undefined for no limit. */
  readonly budgetUsd: number | undefined;
}

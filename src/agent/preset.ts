import type { PresetName, PromptWay } from '../domain/agent.js';
import type { ResultReader } from './result-reader.js';

/** How one of the known agents is called without a person: everything about it is in its own file. */
export interface Preset {
  readonly name: PresetName;
  /** For people: `Claude Code`. */
  readonly title: string;
  /** Looked for in PATH. */
  readonly program: string;
  /** How to get it, as a hint. */
  readonly install: string;
  /** Variables that hold a key; one of them is enough. Inside a sandbox its own call has them. */
  readonly keys: readonly string[];
  /** Further variables of the user's that it understands and that hold no secret of others, such as a base url. */
  readonly variables: readonly string[];
  /** Where its models are; `allowlist` lets these through. */
  readonly hosts: readonly string[];
  /** What it keeps for itself in the working tree, as git's patterns from the top; it is no work. */
  readonly litter?: readonly string[] | undefined;
  /** How it takes a prompt; stdin wherever it can, because an argument holds 128 KiB at most on Linux. */
  readonly prompt: PromptWay;
  /** When it tells what it has cost, and how many tokens it has used. A limit ends only who tells in time. */
  readonly tellsCost: Telling;
  readonly tellsTokens: Telling;
  /** Whether it ends by itself at `budgetUsd`. */
  readonly holdsBudget?: boolean | undefined;
  /** Whether it is called on the host with an argument that allows it everything, because nothing less lets it work. */
  readonly allowsAllOnHost?: boolean | undefined;
  /** Its non-interactive arguments, without the program. A prompt that is an argument is in them. */
  arguments(request: PresetRequest): readonly string[];
  environment(request: PresetRequest): Readonly<Record<string, string>>;
  /** A reader for what one run of it prints. */
  createReader(): ResultReader;
}

export type Telling = 'while-running' | 'at-the-end' | 'never';

export interface PresetRequest {
  readonly prompt: string;
  /** As the agent sees it. */
  readonly promptFile: string;
  /** As the agent sees it: the only place outside of the working tree that it has to write. */
  readonly outputDir: string;
  readonly model: string | undefined;
  /** The configuration's further arguments, to go where the program takes options. */
  readonly further: readonly string[];
  /** Whether a sandbox of ours stands around it, so that its own is turned off. */
  readonly isSandboxed: boolean;
  /** US dollars that are left to it; undefined for no limit. */
  readonly budgetUsd: number | undefined;
}

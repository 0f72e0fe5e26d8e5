import type { Command, CommandResult } from './command.js';

/**
 * Where commands run: a workspace on the host, the inside of its sandbox, the workspace of an attempt. The commands of exec,
 * setup, checks, validation, agents, graders, stories and tools all run through one.
 */
export interface Environment {
  /** Gives the result once the command has ended. What is wrong with the environment itself is thrown. */
  run(command: Command): Promise<CommandResult>;
}

/** A workspace as a place for commands. */
export interface WorkspaceEnvironment extends Environment {
  /** Absolute path, as commands inside see it. */
  readonly workingDirectory: string;
  /** Whether its commands run in a sandbox. */
  readonly isSandboxed: boolean;
  /** What its commands run in; the host itself when left out. */
  readonly runtime?: string | undefined;
}

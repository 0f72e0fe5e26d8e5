import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Environment } from '../exec/environment.js';
import { createToolsOn } from './create-tools-on.js';
import { createHostCommands } from './host-commands.js';
import { createHostFiles } from './host-files.js';
import type { ToolLimits, Tools } from './tool.js';

export type { AgentAnswer, AgentFunction, AgentUsage, AgentWork } from './agent-function.js';
export type { Tool, ToolLimits, ToolName, ToolResult, Tools } from './tool.js';

export interface CreateToolsOptions {
  /** What relative paths are resolved against, and where commands run; the process's own directory when left out. */
  readonly workingDirectory?: string | undefined;
  /**
   * Refuse files outside of the working directory, also through links. It holds for what tools do with files; what a
   * command of `bash` does, only a sandbox can hold.
   */
  readonly confine?: boolean | undefined;
  /** All variables of commands; those of this process when left out. */
  readonly environment?: Environment | undefined;
  /** Ends what is running, and every later call rejects. */
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<ToolLimits> | undefined;
}

/** Tools for an agent that is a function: `bash`, `read_file`, `write_file`, `edit_file`, `grep` and `glob`. */
export function createTools(options: CreateToolsOptions = {}): Tools {
  const workingDirectory = resolve(options.workingDirectory ?? '.');
  const environment = options.environment ?? process.env;
  const run = createHostCommands({ workingDirectory, environment, createCommandId: randomUUID });
  const files = createHostFiles(options.confine ? workingDirectory : undefined);
  const { signal, limits } = options;
  return createToolsOn({ workingDirectory, run, files }, { signal, limits });
}

import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Variables } from '../exec/command-environment.js';
import { createToolsOn } from './create-tools.js';
import { createHostEnvironment } from './host/host-environment.js';
import { createHostFiles } from './host/host-files.js';
import type { ToolLimits, Tools } from './tool.js';

export type { AgentAnswer, AgentFunction, AgentUsage, AgentWork } from './agent-function.js';
export type { Tool, ToolLimits, ToolName, ToolResult, Tools } from './tool.js';

export interface CreateToolsOptions {
  /** Base of relative paths, and where commands run; the process's own directory by default. */
  readonly workingDirectory?: string | undefined;
  /**
   * Refuse files outside the working directory, even through links. It applies to the file tools; what a
   * command of `bash` does can only be confined by a sandbox.
   */
  readonly confine?: boolean | undefined;
  /** All variables of commands; those of this process by default. */
  readonly environment?: Variables | undefined;
  /** Stops running tools, and every later call rejects. */
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<ToolLimits> | undefined;
}

/** Tools for an agent that is a function: `bash`, `read_file`, `write_file`, `edit_file`, `grep` and `glob`. */
export function createTools(options: CreateToolsOptions = {}): Tools {
  const workingDirectory = resolve(options.workingDirectory ?? '.');
  const environment = options.environment ?? process.env;
  const host = createHostEnvironment({ workingDirectory, environment, createCommandId: randomUUID });
  const files = createHostFiles(options.confine ? workingDirectory : undefined);
  const { signal, limits } = options;
  return createToolsOn({ ...host, workingDirectory, files }, { signal, limits });
}

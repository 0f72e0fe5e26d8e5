import { bash } from './builtin/bash.js';
import { editFile } from './builtin/edit-file.js';
import { glob } from './builtin/glob.js';
import { grep } from './builtin/grep.js';
import { readFile } from './builtin/read-file.js';
import { writeFile } from './builtin/write-file.js';
import { defineTool, type ToolContext } from './define-tool.js';
import { type ToolLimits, type Tools, USUAL_LIMITS } from './tool.js';
import type { ToolEnvironment } from './tool-access.js';

/** The tools, on the host or inside a sandbox. */
export function createToolsOn(
  environment: ToolEnvironment,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly limits?: Partial<ToolLimits> | undefined;
  } = {},
): Tools {
  const limits = { ...USUAL_LIMITS, ...options.limits };
  const context: ToolContext = { environment, limits, signal: options.signal };
  return {
    bash: defineTool(context, bash),
    read_file: defineTool(context, readFile),
    write_file: defineTool(context, writeFile),
    edit_file: defineTool(context, editFile),
    grep: defineTool(context, grep),
    glob: defineTool(context, glob),
  };
}

import { bash } from './bash.js';
import { defineTool, type ToolContext } from './define-tool.js';
import { editFile } from './edit-file.js';
import { glob } from './glob.js';
import { grep } from './grep.js';
import { readFile } from './read-file.js';
import { type ToolLimits, type Tools, USUAL_LIMITS } from './tool.js';
import type { ToolHands } from './tool-hands.js';
import { writeFile } from './write-file.js';

/** The tools, on the machine itself or inside a sandbox. */
export function createToolsOn(
  hands: ToolHands,
  options: {
    readonly signal?: AbortSignal | undefined;
    readonly limits?: Partial<ToolLimits> | undefined;
  } = {},
): Tools {
  const limits = { ...USUAL_LIMITS, ...options.limits };
  const context: ToolContext = { hands, limits, signal: options.signal };
  return {
    bash: defineTool(context, bash),
    read_file: defineTool(context, readFile),
    write_file: defineTool(context, writeFile),
    edit_file: defineTool(context, editFile),
    grep: defineTool(context, grep),
    glob: defineTool(context, glob),
  };
}

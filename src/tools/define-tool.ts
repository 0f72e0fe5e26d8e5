import { z } from 'zod';
import type { Tool, ToolLimits, ToolName, ToolResult } from './tool.js';
import { isProblem, type Problem, type ToolEnvironment } from './tool-access.js';

export interface ToolContext {
  readonly environment: ToolEnvironment;
  readonly limits: ToolLimits;
  readonly signal?: AbortSignal | undefined;
}

export interface ToolDefinition<Input> {
  readonly name: ToolName;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Text for the model, or the model's mistake. */
  run(context: ToolContext, input: Input): Promise<ToolResult | string | Problem>;
}

/** A path given by a model. */
export const PathSchema = z
  .string()
  .min(1)
  // No pattern: not every model API accepts one.
  .refine(path => !path.includes('\0'), 'a path');

/** Wraps a tool with what all have in common: its input is validated, and nothing runs once the signal is aborted. */
export function defineTool<Input>(context: ToolContext, definition: ToolDefinition<Input>): Tool {
  const { name, description, input: schema } = definition;
  const { $schema, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
  return {
    name,
    description,
    inputSchema,
    run: async input => {
      context.signal?.throwIfAborted();
      const parsed = schema.safeParse(input);
      if (!parsed.success) return failWith(`invalid input: ${z.prettifyError(parsed.error)}`);
      const result = await definition.run(context, parsed.data);
      context.signal?.throwIfAborted();
      return toResult(result);
    },
  };
}

function toResult(result: ToolResult | string | Problem): ToolResult {
  if (typeof result === 'string') return { output: result, isError: false };
  return isProblem(result) ? failWith(result.problem) : result;
}

const failWith = (output: string): ToolResult => ({ output, isError: true });

import { z } from 'zod';
import type { Tool, ToolLimits, ToolName, ToolResult } from './tool.js';
import { isProblem, type Problem, type ToolHands } from './tool-hands.js';

export interface ToolContext {
  readonly hands: ToolHands;
  readonly limits: ToolLimits;
  readonly signal?: AbortSignal | undefined;
}

export interface ToolDefinition<Input> {
  readonly name: ToolName;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** Text for the model, or what the model did wrong. */
  run(context: ToolContext, input: Input): Promise<ToolResult | string | Problem>;
}

/** A path as a model gives it. */
export const PathSchema = z
  .string()
  .min(1)
  // No pattern: not every interface of a model takes one.
  .refine(path => !path.includes('\0'), 'a path');

/** Puts what all tools have in common around one: its input is checked, and nothing is done once the signal is aborted. */
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
      if (!parsed.success) return failWith(`wrong input: ${z.prettifyError(parsed.error)}`);
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

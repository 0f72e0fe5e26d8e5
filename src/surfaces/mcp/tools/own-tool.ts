import type { z } from 'zod';
import type { Call } from '../connection/agent-connection.js';
import type { ToolAnswer } from '../mcp-tool.js';

/** How a tool answers that declares `by: 'its tool'`. Its name, description and input are declared with its operation. */
export interface OwnTool {
  readonly output: z.ZodObject;
  readonly run: (
    input: Readonly<Record<string, unknown>>,
    call: Call,
  ) => Promise<ToolAnswer<Record<string, unknown>>>;
}

/** The input is what the declaration describes; what it works on is one of the agent's own, by its id. */
export const defineOwnTool = <Input, Output extends z.ZodObject>(tool: {
  readonly output: Output;
  readonly run: (input: Input, call: Call) => Promise<ToolAnswer<z.input<Output>>>;
}): OwnTool => tool as unknown as OwnTool;

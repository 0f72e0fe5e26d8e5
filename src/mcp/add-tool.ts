import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type CarrelError, carrelError, isCarrelError } from '../domain/error.js';
import type { Desk } from './desk.js';
import { openProgress } from './progress.js';
import type { Tool, ToolAnswer } from './tool.js';

/** Offers a tool. Whatever goes wrong with it is an answer, which the agent can read and act on. */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  desk: Desk,
  tool: Tool<Input, Output>,
): void {
  const { name, title, description, input, output, annotations } = tool;
  const shape = isShort(output) ? { outputSchema: output } : {};
  const config = { title, description, inputSchema: input, ...shape, annotations };
  const answer = async (given: unknown, request: ServerContext): Promise<CallToolResult> => {
    try {
      const result = await carryOut(desk, tool, given as z.infer<Input>, request);
      if (tool.changesResources) server.sendResourceListChanged();
      return describeAnswer(result, output);
    } catch (error) {
      return describeError(error);
    }
  };
  server.registerTool<z.ZodObject, z.ZodObject>(name, config, answer);
}

/**
 * The list of tools is in the context of every agent, all the time: with the shapes of workspaces and tasks, which speak
 * for themselves, it would be six times as long.
 */
const LONGEST_SCHEMA = 2000;

const isShort = (schema: z.ZodType): boolean =>
  JSON.stringify(z.toJSONSchema(schema)).length <= LONGEST_SCHEMA;

function carryOut<Input extends z.ZodObject, Output extends z.ZodObject>(
  desk: Desk,
  tool: Tool<Input, Output>,
  input: z.infer<Input>,
  { mcpReq }: ServerContext,
): Promise<ToolAnswer<z.input<Output>>> {
  return desk.calls.run(mcpReq.signal, async signal => {
    const progress = openProgress(mcpReq);
    try {
      const { app, ...place } = await desk.ready();
      const context = { ...app, narrate: progress.tell };
      return await tool.run(input, { ...place, context, signal, tell: progress.tell });
    } finally {
      progress.close();
    }
  });
}

/** Only what the schema names: clients refuse an answer that has more. */
function describeAnswer<Output extends z.ZodObject>(
  { value, text, link, isRefusal = false }: ToolAnswer<z.input<Output>>,
  output: Output,
): CallToolResult {
  const structuredContent = output.parse(value);
  return {
    content: [
      { type: 'text', text: text ?? JSON.stringify(structuredContent) },
      ...(link ? [{ type: 'resource_link' as const, ...link }] : []),
    ],
    structuredContent,
    isError: isRefusal,
  };
}

/** No structured content: that would have to be of the shape of a success. */
function describeError(thrown: unknown): CallToolResult {
  const { code, kind, message, hint, details } = toCarrelError(thrown);
  const text = JSON.stringify({ error: { code, kind, message, hint, details } });
  return { content: [{ type: 'text', text }], isError: true };
}

function toCarrelError(thrown: unknown): CarrelError {
  if (isCarrelError(thrown)) return thrown;
  const problem = thrown instanceof Error ? thrown.message : String(thrown);
  return carrelError('INTERNAL', { problem }, thrown);
}

import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { requestObject } from '../../domain/api/request-object.js';
import { type CarrelError, carrelError, isCarrelError } from '../../domain/error/error.js';
import type { Connection } from './connection/agent-connection.js';
import type { Tool, ToolAnswer } from './mcp-tool.js';
import { openProgress } from './report-progress.js';

/** Registers a tool. Every failure is an answer that the agent can read and act on. */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  connection: Connection,
  tool: Tool<Input, Output>,
): void {
  const { name, title, description, output, annotations } = tool;
  const input = requestObject(tool.input.shape);
  const shape = isShort(output) ? { outputSchema: output } : {};
  const config = { title, description, inputSchema: input, ...shape, annotations };
  const answer = async (given: unknown, request: ServerContext): Promise<CallToolResult> => {
    try {
      const result = await runTool(connection, tool, given as z.infer<Input>, request);
      if (tool.changesResources) server.sendResourceListChanged();
      return describeAnswer(result, output);
    } catch (error) {
      return describeError(error);
    }
  };
  server.registerTool<z.ZodObject, z.ZodObject>(name, config, answer);
}

/**
 * The list of tools is always in the context of every agent. With the schemas of workspaces and tasks, which explain
 * themselves, it would be six times as long.
 */
const LONGEST_SCHEMA = 2000;

const isShort = (schema: z.ZodType): boolean =>
  JSON.stringify(z.toJSONSchema(schema)).length <= LONGEST_SCHEMA;

function runTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  connection: Connection,
  tool: Tool<Input, Output>,
  input: z.infer<Input>,
  { mcpReq }: ServerContext,
): Promise<ToolAnswer<z.input<Output>>> {
  return connection.calls.run(mcpReq.signal, async signal => {
    const progress = openProgress(mcpReq);
    try {
      const { app, ...place } = await connection.ready();
      const context = { ...app, narrate: progress.tell };
      return await tool.run(input, { ...place, context, signal, tell: progress.tell });
    } finally {
      progress.close();
    }
  });
}

/** Only fields of the schema: clients refuse an answer with other fields. */
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

/** No structured content, which would have to match the schema of a success. */
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

import { z } from 'zod';
import { declarations } from '../../../declarations.js';
import { groupOf, isOffered, type McpTool, type Operation } from '../../../operations/operation.js';
import type { Call } from '../connection/agent-connection.js';
import { requireOwnSnapshot, requireOwnTask, requireOwnWorkspace } from '../connection/require-own.js';
import type { Tool } from '../mcp-tool.js';
import type { OwnTool } from './own-tool.js';
import { ownTools } from './own-tools.js';

/** The tools of all operations that agents may use. */
export const operationTools: readonly Tool[] = (declarations as readonly Operation[]).flatMap(operation =>
  isOffered(operation.mcp) ? [toTool(operation, operation.mcp)] : [],
);

function toTool(operation: Operation, mcp: McpTool): Tool {
  const { summary, description = `${summary}.`, input, effects, subject } = operation;
  const { tool, without = {}, instead, changesResources, runsCommands = false } = mcp;
  const { read = identity } = instead ?? {};
  const { output, run } = mcp.by ? ownTool(tool) : answerWith(operation);
  const shape = Object.fromEntries(Object.entries(input.shape).filter(([name]) => !(name in without)));
  return {
    name: tool,
    title: summary,
    description,
    input: z.object({ ...shape, ...instead?.fields }),
    output,
    annotations: {
      readOnlyHint: effects === 'reads',
      destructiveHint: effects === 'removes' || runsCommands,
      openWorldHint: runsCommands,
    },
    ...(changesResources ? { changesResources } : {}),
    run: async (given, call) => {
      const own = subject === undefined ? {} : { [subject]: await findOwn(call, subject, given[subject]) };
      return run({ ...read(given), ...own }, call);
    },
  };
}

function ownTool(name: string): OwnTool {
  const own = ownTools[name];
  if (!own) throw new Error(`${name} has no file`);
  return own;
}

/** An answer is always an object; a list is a field of it. */
function answerWith({ noun, output, run }: Operation): OwnTool {
  const isObject = output instanceof z.ZodObject;
  const list = groupOf(noun);
  return {
    output: isObject ? output : z.object({ [list]: output }),
    run: async (input, { context, directory: repository, signal }) => {
      const value = await run({ context, repository, signal }, input);
      return { value: isObject ? (value as Record<string, unknown>) : { [list]: value } };
    },
  };
}

function identity<T>(given: T): T {
  return given;
}

/** By id, only in the agent's own repository. */
async function findOwn(call: Call, subject: string, given: unknown): Promise<string> {
  const name = String(given);
  if (subject === 'snapshot') {
    await requireOwnSnapshot(call, name);
    return name;
  }
  const find = subject === 'task' ? requireOwnTask : requireOwnWorkspace;
  return (await find(call, name)).id;
}

import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Call } from './desk.js';

/** One thing that an agent can ask for. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the agent: what it does, and when to use it. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** Whether the list of resources is another one afterwards. */
  readonly changesResources?: true;
  readonly run: (input: z.infer<Input>, call: Call) => Promise<ToolAnswer<z.input<Output>>>;
}

export interface ToolAnswer<Value> {
  readonly value: Value;
  /** How it reads; the value as JSON by default. */
  readonly text?: string | undefined;
  /** Where there is more. */
  readonly link?: ResourceLink | undefined;
  /** It did not do what was asked, which `value` explains. */
  readonly isRefusal?: boolean | undefined;
}

export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** Lets the types of input and output be found. */
export const defineTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> => tool;

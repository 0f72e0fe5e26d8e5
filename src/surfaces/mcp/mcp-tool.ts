import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import type { Call } from './connection/agent-connection.js';

/** One tool of an agent. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For the agent: what the tool does, and when to use it. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: ToolAnnotations;
  /** Whether the tool changes the list of resources. */
  readonly changesResources?: true;
  readonly run: (input: z.infer<Input>, call: Call) => Promise<ToolAnswer<z.input<Output>>>;
}

export interface ToolAnswer<Value> {
  readonly value: Value;
  /** The answer as text; the value as JSON by default. */
  readonly text?: string | undefined;
  /** A resource with more. */
  readonly link?: ResourceLink | undefined;
  /** The tool refused; `value` explains why. */
  readonly isRefusal?: boolean | undefined;
}

export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

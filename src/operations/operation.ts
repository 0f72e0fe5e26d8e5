import type { z } from 'zod';
import type { Context } from './context.js';

/**
 * One use case, declared once. The command line, the HTTP API, the MCP server, `carrel/client`, `createCarrel()` and the
 * reference pages are derived from it: see `src/surfaces`. Each is in a file `<verb>.operation.ts`.
 */
export interface Operation<
  Noun extends string = string,
  Verb extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Subject extends string = string,
> {
  /** The client and the library have it as `<noun>s.<verb>()`: see `groupOf`. */
  readonly noun: Noun;
  readonly verb: Verb;
  /** Its name in the client and the library where it is a function on its own, such as `config`. */
  readonly call?: string;
  /** What it does, in the imperative: help, OpenAPI, MCP and the reference show it. */
  readonly summary: string;
  /** More about it, for agents. */
  readonly description?: string;
  /** Made with `requestObject`, which refuses unknown fields with the nearest known name. */
  readonly input: Input;
  readonly output: Output;
  /** The field that names what it works on: the first argument, and a part of the address. A list is in the query. */
  readonly subject?: Subject;
  readonly effects: Effects;
  readonly commandLine: CommandLine | NotOffered;
  readonly http: HttpRoute | NotOffered;
  readonly mcp: McpTool | NotOffered;
  readonly run: (call: OperationCall, input: z.output<Input>) => Promise<Unchanged<z.input<Output>>>;
}

/** The surfaces do not change an answer. */
type Unchanged<T> = T extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Unchanged<T[Name]> }
    : T;

/** `removes` may remove something that a user created, after a snapshot or a refusal, or stop processes. */
export type Effects = 'reads' | 'changes' | 'removes';

/** A surface that does not have an operation says why. */
export interface NotOffered {
  readonly not: string;
}

export interface CommandLine {
  /** One word, or a noun and a verb. */
  readonly command: string;
  readonly aliases?: readonly string[];
  /** What help says, if the command does more than the operation: it prints. */
  readonly summary?: string;
  readonly group: CommandGroup;
  /** The fields that are arguments, in this order. All others are options. */
  readonly arguments: readonly string[];
  /** How an option is written where its name does not say it. */
  readonly options?: Readonly<Record<string, OptionForm>>;
  /** Fields that the command has in another form, or not at all, with the reason. */
  readonly without?: Without;
  /** The field of the answer that is printed without `--json`; or a file in surfaces/cli/commands does the printing. */
  readonly prints: string | { readonly by: 'its command' };
}

export interface OptionForm {
  /**
   * The word for its value. A `duration`, such as 90m, is a number of seconds for the operation, and a `rate` from 0 to 1
   * can also be a percentage.
   */
  readonly value?: string;
  readonly letter?: string;
  /** The option where it is not the field's name with dashes, such as `cost-limit`. */
  readonly flag?: string;
  /** `--no-<name>` instead, with what that does. */
  readonly negated?: string;
  /** What help says, where the command takes more than the field. */
  readonly description?: string;
}

type Without = Readonly<Record<string, string>>;

export const commandGroups = [
  'Run tasks',
  'Evaluate agents',
  'Create and use workspaces',
  'Keep and land work',
  'Clean up',
  'Keep workspaces warm',
  'Serve and connect',
  'Set up',
] as const;
export type CommandGroup = (typeof commandGroups)[number];

export interface HttpRoute {
  readonly method: 'get' | 'post' | 'delete';
  /** With `{subject}` where the operation has one, and with other required fields as far as they belong to the address. */
  readonly path: string;
  /** Its name in OpenAPI; verb and noun if omitted. */
  readonly operationId?: string;
  /** 200 unless it makes something, or starts something that is finished later. */
  readonly status?: 200 | 201 | 202;
  /** With status 201: the path that has what was made, below its id. */
  readonly makes?: string;
  /** What the answer is. */
  readonly answer: string;
  readonly problems: readonly (400 | 404 | 409 | 422 | 503)[];
  /** Fields that a request may not have, with the reason. */
  readonly without?: Without;
  /** Fields that have narrower limits in a request. */
  readonly instead?: Readonly<Record<string, z.ZodType>>;
  /** The name of its body among the published schemas. */
  readonly body?: { readonly id: string; readonly title: string };
  /** The answer is text of this type, such as a patch, instead of the output as JSON. */
  readonly text?: string;
  /** Seconds until the call's signal aborts, for an operation that then answers with what it has. */
  readonly within?: number;
  /** The route's own handler gets `repository` as it was sent, such as a URL; or a request has none. */
  readonly repository?: 'as it was sent' | 'none';
  /** A repeated request with the same Idempotency-Key makes nothing more. */
  readonly isRepeatable?: true;
  /** The output is a list that the client gives item by item; with `follow`, as Server-Sent Events. */
  readonly isStream?: true;
  /** A request without a repository is about all of them: sets the field `all`, which requests do not have. */
  readonly everywhere?: true;
  /** `repository` may be a URL; the server clones it. */
  readonly clones?: true;
  /** A file in surfaces/http answers, because a status, a header or a stream depends on the request. */
  readonly by?: 'its route';
}

export interface McpTool {
  readonly tool: string;
  /** Fields that an agent may not set, with the reason. */
  readonly without?: Without;
  /** Fields that agents have in another form, and what they mean for the operation. */
  readonly instead?: {
    readonly fields: Readonly<Record<string, z.ZodType>>;
    readonly read?: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  };
  /** Whether the list of resources is another one afterwards. */
  readonly changesResources?: boolean;
  /** Whether it runs what an agent wrote, which can reach and delete whatever the sandbox allows. */
  readonly runsCommands?: boolean;
  /** A file in surfaces/mcp/tools answers, because agents get another shape, text or links. */
  readonly by?: 'its tool';
}

/** One call of an operation, from any surface. */
export interface OperationCall {
  readonly context: Context;
  /** A directory in the repository. */
  readonly repository: string;
  readonly signal?: AbortSignal | undefined;
  /** May refuse what was found, before it is changed: not every caller may change every repository. */
  readonly check?: ((found: { readonly repository: string }) => Promise<void>) | undefined;
}

/** Lets the types of all parts be inferred. */
export const defineOperation = <
  const Noun extends string,
  const Verb extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Subject extends string = never,
>(
  operation: Operation<Noun, Verb, Input, Output, Subject>,
): Operation<Noun, Verb, Input, Output, Subject> => operation;

/** The fields in the path of a route, in this order: `{run}` and `{task}`. */
export const namesInPath = ({ path }: HttpRoute): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

export const isOffered = <T extends object>(surface: T | NotOffered): surface is T => !('not' in surface);

/** Where the client and the library have the operations on a noun, and their tag in OpenAPI. */
export const groupOf = (noun: string): string => GROUPS[noun] ?? `${noun}s`;

/** A repository has one pool, and a machine one fleet. */
const GROUPS: Readonly<Record<string, string>> = {
  pool: 'pool',
  fleet: 'fleet',
  batch: 'batches',
  config: 'settings',
  doctor: 'settings',
};

/** `workspaces.create`, or the name of a function on its own. */
export const callOf = ({ noun, verb, call }: Operation): string => call ?? `${groupOf(noun)}.${verb}`;

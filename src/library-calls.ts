import type { z } from 'zod';
import { declarations } from './declarations.js';
import { requestObject } from './domain/api/request-object.js';
import { findUnknownFields } from './domain/api/unknown-fields.js';
import { carrelError } from './domain/error/error.js';
import type { Context } from './operations/context.js';
import { callOf, type Operation } from './operations/operation.js';

type Declared = (typeof declarations)[number];
type OfNoun<Noun extends string> = Extract<Declared, { readonly noun: Noun }>;

/** How a program calls an operation: what it works on, the other fields of its input, and options. */
type LibraryCall<O> =
  O extends Operation<string, string, infer Input, infer Output, infer Subject>
    ? [Subject] extends [never]
      ? Call<[], z.input<Input>, z.output<Output>>
      : Call<SubjectOf<z.input<Input>, Subject>, Omit<z.input<Input>, Subject>, z.output<Output>>
    : never;

/** A name or a list of names; optional where the operation has a usual one. */
type SubjectOf<Request, Subject extends string> = Subject extends keyof Request
  ? Request[Subject] extends readonly string[]
    ? [subjects: readonly string[]]
    : undefined extends Request[Subject]
      ? [subject?: string]
      : [subject: string]
  : never;

/** A request in which nothing is required may be left out. */
type Call<Subject extends unknown[], Request, Answer> =
  Record<never, never> extends Request
    ? (...given: [...Subject, request?: Request, options?: LibraryCallOptions]) => Promise<Answer>
    : (...given: [...Subject, request: Request, options?: LibraryCallOptions]) => Promise<Answer>;

export interface LibraryCallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The operations on one noun, by their verbs. */
export type LibraryCalls<Noun extends string> = {
  readonly [O in OfNoun<Noun> as O['verb']]: LibraryCall<O>;
};

/** Binds the operations on a noun to a repository. What was passed is checked as on every other surface. */
export function bindOperations<Noun extends string>(
  context: Context,
  repository: string,
  noun: Noun,
): LibraryCalls<Noun> {
  const own = (declarations as readonly Operation[]).filter(operation => operation.noun === noun);
  const bind = (operation: Operation) => {
    const { subject } = operation;
    const run = (request: object, options: LibraryCallOptions = {}, named: object = {}) => {
      const { signal } = requireOptions(operation, options);
      return operation.run({ context, repository, signal }, { ...parse(operation, request), ...named });
    };
    return subject === undefined
      ? async (request: object = {}, options?: LibraryCallOptions) => run(request, options)
      : async (named: unknown, request: object = {}, options?: LibraryCallOptions) =>
          run(request, options, { [subject]: named });
  };
  return Object.fromEntries(
    own.map(operation => [operation.verb, bind(operation)]),
  ) as unknown as LibraryCalls<Noun>;
}

function requireOptions(operation: Operation, options: LibraryCallOptions): LibraryCallOptions {
  const issues = findUnknownFields(callOf(operation), options, { signal: true });
  if (issues.length > 0) throw carrelError('REQUEST_INVALID', { issues });
  return options;
}

/** All fields but the subject, which is its own argument. */
function parse(operation: Operation, given: object): Record<string, unknown> {
  const { [operation.subject ?? '']: _, ...fields } = operation.input.shape;
  const parsed = requestObject(fields).safeParse(given);
  if (parsed.success) return parsed.data;
  const call = callOf(operation);
  const issues = parsed.error.issues.map(({ path, message }) => ({
    at: [call, ...path].join('.'),
    problem: message,
  }));
  throw carrelError('REQUEST_INVALID', { issues });
}

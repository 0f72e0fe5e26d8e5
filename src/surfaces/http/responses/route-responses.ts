import { z } from '@hono/zod-openapi';
import { ProblemSchema } from '../../../domain/error/problem.js';

// Parts of route definitions, so that every route describes its answers in the same way.

export const jsonAnswer = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

/** Text of any other type, such as a patch. */
export const textAnswer = <Type extends string>(type: Type, description: string) => ({
  description,
  content: { [type]: { schema: z.string() } } as Record<Type, { schema: z.ZodString }>,
});

export const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
});

/** A body with only optional fields, which is itself optional. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: false,
  content: { 'application/json': { schema } },
});

const PROBLEMS = {
  400: 'the request is invalid',
  404: 'not found',
  409: 'refused to protect work, or in use by another process; see `details`',
  422: 'the request is valid but cannot be done',
  503: 'the machine of the server cannot do it',
} as const;
type ProblemStatus = keyof typeof PROBLEMS;

/**
 * The problems of a route, besides those of every route (see reference-page/open-api-document.ts). The error handler
 * creates them, not the routes.
 */
export function problemAnswers<Status extends ProblemStatus>(
  ...statuses: readonly Status[]
): Record<Status, ProblemAnswer> {
  const entries = statuses.map(status => [status, problemAnswer(PROBLEMS[status])] as const);
  return Object.fromEntries(entries) as Record<Status, ProblemAnswer>;
}

interface ProblemAnswer {
  readonly description: string;
  readonly content: { readonly 'application/problem+json': { readonly schema: typeof ProblemSchema } };
}

const problemAnswer = (description: string): ProblemAnswer => ({
  description,
  content: { 'application/problem+json': { schema: ProblemSchema } },
});

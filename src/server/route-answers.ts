import { z } from '@hono/zod-openapi';
import { ProblemSchema } from '../domain/problem.js';

// Parts of route definitions, so that every route tells of its answers in the same words.

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

/** Of which everything may be left out, and so the body itself. */
export const optionalBody = <Schema extends z.ZodType>(schema: Schema) => ({
  required: false,
  content: { 'application/json': { schema } },
});

const PROBLEMS = {
  400: 'what was sent is not what is expected here',
  404: 'what was named is not there',
  409: 'refused to protect work, or somebody else is at it; `details` says what',
  422: 'the shape is right and what it asks for can not be done',
  503: 'the machine of the server does not let it',
} as const;
type ProblemStatus = keyof typeof PROBLEMS;

/**
 * The problems that a route may answer with, beside those of every route (see reference-page/open-api-document.ts). They come
 * from the one error handler; no route makes them.
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

import { z } from 'zod';
import { DurationSchema } from '../quantity/quantity-schema.js';

const CommandSchema = z.string().min(1);
const NameSchema = z.string().min(1).optional().describe('its name in the result');

/**
 * Symbolic links that lead outside the workspace are not followed. Every expectation about a missing file fails,
 * including that it does not contain something.
 */
export const FileExpectationPathSchema = z
  .string()
  .regex(
    /^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0\r\n]+$/,
    'a path in the workspace, without ".." and without a leading "/"',
  );

const runs = {
  run: CommandSchema.describe('the command, for the shell; exit status 0 is success'),
  timeout: DurationSchema.optional().describe('time limit, such as 10m'),
  name: NameSchema,
};

const contents = {
  path: FileExpectationPathSchema,
  text: z.string().min(1).optional().describe('literal text to find'),
  pattern: z.string().min(1).optional().describe('regular expression to find, matched line by line'),
  name: NameSchema,
};

/** What must be true of the working tree when a task is done. */
export const ExpectationSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('build'), ...runs }),
    z.strictObject({ kind: z.literal('tests'), ...runs }),
    z.strictObject({ kind: z.literal('command'), ...runs }),
    z.strictObject({ kind: z.literal('file-exists'), path: FileExpectationPathSchema, name: NameSchema }),
    z.strictObject({ kind: z.literal('file-contains'), ...contents }),
    z.strictObject({ kind: z.literal('file-not-contains'), ...contents }),
  ])
  .check(({ value, issues }) => {
    if (value.kind !== 'file-contains' && value.kind !== 'file-not-contains') return;
    const { text, pattern } = value;
    if ((text === undefined) === (pattern === undefined))
      issues.push({ code: 'custom', input: value, message: 'either text or pattern' });
    if (pattern !== undefined && !isPattern(pattern))
      issues.push({ code: 'custom', input: pattern, path: ['pattern'], message: 'a regular expression' });
  });
/** What must be true of the working tree when a task is done. */
export type Expectation = Readonly<z.infer<typeof ExpectationSchema>>;

export const ValidationResultSchema = z.object({
  name: z.string(),
  kind: z.enum(['build', 'tests', 'command', 'file-exists', 'file-contains', 'file-not-contains']),
  passed: z.boolean(),
  detail: z.string().nullable().describe('the finding, or the end of the output; null when there is none'),
  durationMs: z.int(),
});
/** Whether one expectation held, and what was found. */
export type ValidationResult = Readonly<z.infer<typeof ValidationResultSchema>>;

/** A regular expression, compiled as the search compiles it. */
export function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'mu');
    return true;
  } catch {
    return false;
  }
}

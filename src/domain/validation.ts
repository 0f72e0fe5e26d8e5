import { z } from 'zod';
import { DurationSchema } from './quantity-schema.js';

const CommandSchema = z.string().min(1);
const NameSchema = z.string().min(1).optional().describe('what to call it in the result');

/**
 * Read as it is; symbolic links that lead out of the workspace are not followed. What is expected of a file that is not
 * there fails, also that it does not contain something.
 */
export const FileExpectationPathSchema = z
  .string()
  .regex(
    /^(?!\/)(?!.*(^|\/)\.\.(\/|$))[^\0\r\n]+$/,
    'a path in the workspace, without ".." and "/" at its beginning',
  );

const runs = {
  run: CommandSchema.describe('the command, for the shell; exit status 0 is success'),
  timeout: DurationSchema.optional().describe('time limit, such as 10m'),
  name: NameSchema,
};

const contents = {
  path: FileExpectationPathSchema,
  text: z.string().min(1).optional().describe('text that is looked for as it is'),
  pattern: z.string().min(1).optional().describe('regular expression that is looked for, line by line'),
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
export type Expectation = Readonly<z.infer<typeof ExpectationSchema>>;

export const ValidationResultSchema = z.object({
  name: z.string(),
  kind: z.enum(['build', 'tests', 'command', 'file-exists', 'file-contains', 'file-not-contains']),
  passed: z.boolean(),
  detail: z
    .string()
    .nullable()
    .describe('what was found, or the end of the output; null when there is nothing to say'),
  durationMs: z.int(),
});
export type ValidationResult = Readonly<z.infer<typeof ValidationResultSchema>>;

/** A regular expression, as it is compiled when it is looked for. */
export function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'mu');
    return true;
  } catch {
    return false;
  }
}

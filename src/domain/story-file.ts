import { z } from 'zod';
import { IsolationModeSchema } from './isolation.js';
import { FileExpectationPathSchema, isPattern } from './validation.js';

const command = z
  .string()
  .min(1)
  .optional()
  .describe('for the shell; when left out, what the files of the worktree suggest, such as `npm test`');

const contents = {
  path: FileExpectationPathSchema,
  text: z.string().min(1).optional().describe('text that is looked for as it is'),
  pattern: z.string().min(1).optional().describe('regular expression that is looked for, line by line'),
};

/** What must be true of the worktree when the story is done. */
export const StoryExpectationSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('compiles'), command }),
    z.strictObject({ type: z.literal('tests_pass'), command }),
    z.strictObject({ type: z.literal('file_exists'), path: FileExpectationPathSchema }),
    z.strictObject({ type: z.literal('file_contains'), ...contents }),
    z.strictObject({ type: z.literal('file_not_contains'), ...contents }),
  ])
  .check(({ value, issues }) => {
    if (value.type !== 'file_contains' && value.type !== 'file_not_contains') return;
    const { text, pattern } = value;
    if ((text === undefined) === (pattern === undefined))
      issues.push({ code: 'custom', input: value, message: 'either text or pattern' });
    if (pattern !== undefined && !isPattern(pattern))
      issues.push({ code: 'custom', input: pattern, path: ['pattern'], message: 'a regular expression' });
  });
export type StoryExpectation = Readonly<z.infer<typeof StoryExpectationSchema>>;

/** A story and what is expected of whoever carries it out; one YAML file each. */
export const StoryFileSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^\P{Cc}{1,200}$/u, 'one line of text')
      .describe('what reports call it'),
    description: z.string().optional().describe('for people'),
    repository: z
      .string()
      .min(1)
      .describe('a url, or a directory; one that is relative begins where this file lies'),
    story: z.string().min(1).describe('what is to be done, as agents are told'),
    expectations: z.array(StoryExpectationSchema).default([]),
    timeoutSeconds: z
      .number()
      .positive()
      .max(7 * 86_400)
      .default(1800)
      .describe('for carrying it out, from when it is sent; and once more for each command that checks it'),
    tags: z.array(z.string().min(1)).default([]),
    workflow: z.string().min(1).optional().describe('the stages to go through'),
    agent: z.string().min(1).optional().describe('the agent of all stages'),
    isolation: IsolationModeSchema.optional(),
    strict: z.boolean().optional().describe('refuse instead of falling back to less isolation'),
    base: z.string().min(1).optional().describe('the branch, tag or commit to start from'),
  })
  .meta({ id: 'story', title: 'A story with its expectations' });
export type StoryFile = Readonly<z.infer<typeof StoryFileSchema>>;

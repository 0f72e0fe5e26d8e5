import { z } from 'zod';
import { IsolationModeSchema } from '../isolation.js';
import { FileExpectationPathSchema, isPattern } from '../workflow/validation.js';

const command = z
  .string()
  .min(1)
  .optional()
  .describe('for the shell (default: chosen from the files of the worktree, such as `npm test`)');

const contents = {
  path: FileExpectationPathSchema,
  text: z.string().min(1).optional().describe('literal text to find'),
  pattern: z.string().min(1).optional().describe('regular expression to find, matched line by line'),
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

/** A story and its expectations; one YAML file each. */
export const StoryFileSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^\P{Cc}{1,200}$/u, 'one line of text')
      .describe('its name in reports'),
    description: z.string().optional().describe('for people'),
    repository: z
      .string()
      .min(1)
      .describe('a URL or a directory; relative paths start at the directory of this file'),
    story: z.string().min(1).describe('what to do, for the agents'),
    expectations: z.array(StoryExpectationSchema).default([]),
    timeoutSeconds: z
      .number()
      .positive()
      .max(7 * 86_400)
      .default(1800)
      .describe('time limit of the story from when it is sent, and again of each command that checks it'),
    tags: z.array(z.string().min(1)).default([]),
    workflow: z.string().min(1).optional().describe('name of the workflow'),
    agent: z.string().min(1).optional().describe('the agent for all stages'),
    isolation: IsolationModeSchema.optional(),
    strict: z.boolean().optional().describe('fail instead of falling back to a weaker isolation mode'),
    base: z.string().min(1).optional().describe('the branch, tag or commit to start from'),
  })
  .meta({ id: 'story', title: 'A story with its expectations' });
export type StoryFile = Readonly<z.infer<typeof StoryFileSchema>>;

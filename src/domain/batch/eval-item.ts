import { z } from 'zod';
import { TaskLimitsSchema } from '../agent/agent.js';
import { DurationSchema } from '../quantity/quantity-schema.js';
import { ExpectationSchema } from '../workflow/validation.js';
import { ATTEMPT_ISOLATIONS } from './attempt.js';

const WordSchema = z.string().min(1);
const CommandSchema = z.string().min(1);

/** In a repository: relative, without `..`, not below `.git`. */
const RepositoryPathSchema = z
  .string()
  .regex(
    /^(?!\/)(?!\.git(\/|$))(?!.*(^|\/)\.{1,2}(\/|$))[^\0\r\n]+$/,
    'a path in the repository, without ".." and without a leading "/"',
  );

export const FilesSchema = z.record(RepositoryPathSchema, z.string());

/** What a task starts from. */
const BaseSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('files'),
    files: FilesSchema.describe('contents by path'),
    executable: z.array(RepositoryPathSchema).optional().describe('files that are executable'),
  }),
  z.strictObject({
    kind: z.literal('directory'),
    directory: z.string().min(1).describe('absolute path of a directory whose files are the base'),
  }),
  z.strictObject({
    kind: z.literal('git'),
    url: z.string().min(1).describe('URL or path of a repository'),
    commit: z.string().min(1).describe('commit, tag or branch'),
  }),
]);
export type EvalBase = Readonly<z.infer<typeof BaseSchema>>;

/** What solves a task, for the agent `oracle`. */
const SolutionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('patch'), patch: z.string().min(1) }),
  z.strictObject({ kind: z.literal('files'), files: FilesSchema }),
  z.strictObject({ kind: z.literal('script'), run: CommandSchema }),
]);
export type EvalSolution = Readonly<z.infer<typeof SolutionSchema>>;

export const TEST_PARSERS = [
  'auto',
  'pytest',
  'unittest',
  'jest',
  'vitest',
  'mocha',
  'node',
  'tap',
  'go',
  'cargo',
  'junit',
] as const;
export type TestParserName = (typeof TEST_PARSERS)[number];

const common = {
  name: WordSchema.optional().describe('its name in results'),
  weight: z.number().positive().optional().describe('its weight in the score (default: 1)'),
  timeout: DurationSchema.optional().describe('time limit (default: 10m)'),
};

/** Grades an attempt, in a fresh copy with the agent's changes and the hidden files. */
export const GraderSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('command'),
    run: CommandSchema.describe('for the shell; exit status 0 is success'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('tests'),
    run: CommandSchema.describe('for the shell; its output lists which tests passed'),
    parser: z.enum(TEST_PARSERS).optional().describe('format of the output (default: auto)'),
    report: RepositoryPathSchema.optional().describe(
      'a file that the command writes, JUnit XML or the format of the parser; read instead of the output',
    ),
    failToPass: z.array(WordSchema).optional().describe('tests that fail before and must pass after'),
    passToPass: z.array(WordSchema).optional().describe('tests that pass before and must pass after'),
    partial: z.boolean().optional().describe('score the share of tests that pass; otherwise all or nothing'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('files'),
    expect: z.array(ExpectationSchema).min(1).describe('expectations about the files'),
    partial: z.boolean().optional(),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('reward'),
    run: CommandSchema.describe('for the shell; it writes a number, or JSON with numbers, to the file'),
    file: z.string().min(1).describe('path of the reward, absolute or in the working tree'),
    ...common,
  }),
  z.strictObject({
    kind: z.literal('diff'),
    reference: z.string().min(1).describe('the patch that the changes are compared with'),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('similarity that counts as passed; 1 when left out'),
    ...common,
  }),
]);
/** How an attempt is graded: a command, tests, files, a reward file, or the diff. */
export type Grader = Readonly<z.infer<typeof GraderSchema>>;

/** One task of a dataset. */
export const EvalItemSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/, 'letters, digits, ".", "_" and "-"')
      .describe('unique in the dataset'),
    description: z.string().min(1).describe('the task for the agent'),
    base: BaseSchema,
    language: WordSchema.optional(),
    difficulty: z.enum(['easy', 'medium', 'hard']).optional(),
    tags: z.array(WordSchema).optional(),
    setup: z
      .array(CommandSchema)
      .optional()
      .describe('commands that prepare the working tree, before the agent and again before grading'),
    setupTimeout: DurationSchema.optional().describe('time limit of each command (default: 10m)'),
    timeout: DurationSchema.optional().describe('time limit of the agent'),
    limits: TaskLimitsSchema.optional(),
    environment: z
      .record(z.string(), z.string())
      .optional()
      .describe('variables for setup, agent and graders'),
    image: z.string().min(1).optional().describe('container image, for isolation docker'),
    requires: z.array(WordSchema).optional().describe('programs that it needs'),
    isolation: z
      .array(z.enum(ATTEMPT_ISOLATIONS))
      .min(1)
      .optional()
      .describe('isolation modes that it can run in (default: all)'),
    solution: SolutionSchema.optional(),
    hidden: FilesSchema.optional().describe('files that are added before grading; the agent never sees them'),
    hiddenPatch: z
      .string()
      .min(1)
      .optional()
      .describe('a patch that is applied before grading, such as new tests'),
    protect: z
      .array(RepositoryPathSchema)
      .optional()
      .describe('files or directories whose changes by the agent are ignored in grading'),
    graders: z.array(GraderSchema).min(1),
  })
  .meta({ id: 'eval-item', title: 'Task of a dataset' });
/** One task of a dataset: description, base, setup, limits and graders. */
export type EvalItem = Readonly<z.infer<typeof EvalItemSchema>>;

/** A dataset in Carrel's own format, as YAML or JSON. */
export const DatasetFileSchema = z
  .strictObject({
    name: WordSchema,
    description: z.string().optional(),
    items: z.array(EvalItemSchema).min(1),
  })
  .meta({ id: 'dataset', title: 'Dataset' });

import { z } from 'zod';
import { requestObject } from '../api/request-object.js';
import { EvalItemSchema, FilesSchema } from './eval-item.js';

const { id, base, setup, setupTimeout, environment, image } = EvalItemSchema.shape;

const fields = {
  id,
  repository: z
    .string()
    .min(1)
    .optional()
    .describe('path or URL of the git repository to start from; instead of `base`'),
  commit: z.string().min(1).optional().describe('commit, tag or branch of `repository` (default: HEAD)'),
  base: base.optional().describe('what to start from, as in a dataset; instead of `repository`'),
  setupFiles: FilesSchema.optional().describe('contents of files to write, by path, before the commands'),
  setup: setup.describe('commands for the shell that prepare the environment'),
  setupTimeout,
  environment: environment.describe('variables for all commands in the environment'),
  image,
};

/**
 * A task, as an isolation provider needs it: what to start from (`repository` and `commit`, or `base`), and its setup
 * files and commands. The items of a dataset are descriptors too.
 */
export type TaskDescriptor = Readonly<z.infer<z.ZodObject<typeof fields>>>;

/** Accepts the items of datasets: the provider does not read their other fields. */
const OfItems = Object.fromEntries(
  Object.keys(EvalItemSchema.shape).map(name => [name, z.unknown().optional()]),
);

export const TaskDescriptorSchema = requestObject({ ...OfItems, ...fields }).superRefine((task, check) => {
  const refuse = (path: string, message: string) => check.addIssue({ code: 'custom', path: [path], message });
  if (task.repository === undefined && task.base === undefined)
    refuse('repository', 'missing; expected the path or URL of a git repository, or a base');
  if (task.repository !== undefined && task.base !== undefined)
    refuse('base', 'expected either a repository or a base, got both');
  if (task.commit !== undefined && task.repository === undefined)
    refuse('commit', 'expected only with a repository');
});

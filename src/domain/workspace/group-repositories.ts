import { z } from 'zod';

const PathSchema = z
  .string()
  .min(1)
  .refine(path => !/[\0\r\n]/.test(path), 'the path of a repository, such as ../web');

/** Comes before the paths in a diff, and in messages. */
const AliasSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    'a short name for the repository: letters, digits, ".", "_" and "-"',
  );

const RepositorySchema = z.union(
  [
    PathSchema,
    z.strictObject({
      path: PathSchema.describe('path of the repository'),
      base: z
        .string()
        .min(1)
        .optional()
        .describe("branch, tag or commit to start from (default: the repository's HEAD)"),
    }),
  ],
  'a path, or a mapping with path and base',
);

/** Other repositories for a workspace: paths, or paths by alias. */
export const GroupRepositoriesSchema = z.union(
  [z.array(PathSchema), z.record(AliasSchema, RepositorySchema)],
  'a list of paths, or aliases (letters, digits, ".", "_" and "-") with a path or with path and base',
);
/** Other repositories of a workspace, as paths or by alias. Paths are relative to the root of the repository it is created in. */
export type GroupRepositories = z.infer<typeof GroupRepositoriesSchema>;

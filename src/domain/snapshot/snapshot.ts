import { z } from 'zod';
import { SandboxSchema } from '../sandbox/sandbox.js';
import { BackendNameSchema } from '../workspace/workspace.js';

const SnapshotReasonSchema = z.enum([
  'asked',
  'up',
  'down',
  'gc',
  'land',
  'rollback',
  'pool',
  'checkpoint',
  'reset',
]);
export type SnapshotReason = z.infer<typeof SnapshotReasonSchema>;

/** Snapshots of all parts of a workspace with several repositories, taken together. */
const SnapshotSetSchema = z.object({
  id: z.string(),
  size: z.int().describe('number of snapshots'),
});
export type SnapshotSet = z.infer<typeof SnapshotSetSchema>;

/** A file or directory that a snapshot leaves out. */
export const OmittedFileSchema = z.object({ path: z.string(), bytes: z.int(), reason: z.string() });

/**
 * A commit under refs/carrel/ with everything in a workspace, including uncommitted and untracked files; ignored files
 * are in a second commit.
 */
export const SnapshotSchema = z
  .object({
    id: z.string().describe('snap_ and 16 characters, sorted by time'),
    workspaceId: z.string(),
    workspaceName: z.string(),
    repository: z.string(),
    repositoryId: z.string(),
    backend: BackendNameSchema,
    branch: z.string().nullable(),
    base: z.object({ ref: z.string().nullable(), commit: z.string().nullable() }),
    isolation: z
      .enum(['full', 'worktree'])
      .optional()
      .describe('isolation mode of the workspace: full when its commands ran in a sandbox'),
    sandbox: SandboxSchema.optional().describe('that sandbox, which a restored workspace uses too'),
    isStrict: z.boolean().optional().describe('true when it can be restored only into a sandbox'),
    group: z
      .object({
        id: z.string().describe('the id of the first part'),
        alias: z.string(),
        set: SnapshotSetSchema.optional().describe('the snapshots of all parts that were taken together'),
      })
      .optional()
      .describe('set for a part of a workspace with several repositories'),
    commit: z.string().nullable().describe('null while it is being taken'),
    ref: z.string(),
    objectStore: z.string().describe('the git directory that contains it'),
    kept: z
      .string()
      .nullish()
      .describe(
        "the commit in Carrel's own store with files that git must never push, such as ignored files",
      ),
    reason: SnapshotReasonSchema,
    message: z.string().nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    expiring: z
      .object({
        markedAt: z.iso.datetime(),
        waitedMs: z.number(),
        boot: z.string(),
        uptimeMs: z.number(),
      })
      .optional()
      .describe('set by the cleanup that found it expired; a later cleanup removes it'),
    files: z.int().describe('number of changed, untracked and ignored files in it'),
    omitted: z.array(OmittedFileSchema).describe('ignored files that were left out'),
    changing: z
      .object({
        at: z.iso.datetime().describe('the snapshot has their content at this time'),
        count: z.int(),
        paths: z.array(z.string()).describe('the first of them'),
      })
      .optional()
      .describe('files that other programs kept changing while they were captured'),
  })
  .meta({ id: 'snapshot', title: 'Snapshot' });
/** The state of a workspace, stored outside of it. `restore` creates a workspace from it. */
export type Snapshot = z.infer<typeof SnapshotSchema>;
/** Files that kept changing while the snapshot was taken. */
export type ChangingFiles = NonNullable<Snapshot['changing']>;
export type OmittedFile = Snapshot['omitted'][number];

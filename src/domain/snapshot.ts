import { z } from 'zod';
import { SandboxSchema } from './sandbox.js';

const SnapshotReasonSchema = z.enum(['asked', 'down', 'gc', 'land', 'rollback', 'pool']);
export type SnapshotReason = z.infer<typeof SnapshotReasonSchema>;

/** A commit under refs/carrel/ that holds everything in a workspace, uncommitted and untracked included. */
export const SnapshotSchema = z
  .object({
    id: z.string().describe('snap_ and 16 characters, sorted by time'),
    workspaceId: z.string(),
    workspaceName: z.string(),
    repository: z.string(),
    repositoryId: z.string(),
    backend: z.enum(['git', 'direct', 'directory', 'jj', 'overlay']),
    branch: z.string().nullable(),
    base: z.object({ ref: z.string().nullable(), commit: z.string().nullable() }),
    isolation: z
      .enum(['full', 'worktree'])
      .optional()
      .describe('what stood around the workspace: full when its commands ran in a sandbox'),
    sandbox: SandboxSchema.optional().describe('that sandbox; it stands around what is restored, too'),
    isStrict: z.boolean().optional().describe('whether it is restored into a sandbox or not at all'),
    commit: z.string().nullable().describe('null while it is being taken'),
    ref: z.string(),
    objectStore: z.string().describe('the git directory that holds it'),
    reason: SnapshotReasonSchema,
    message: z.string().nullable(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    files: z.int().describe('changed, untracked and ignored files that it holds'),
    omitted: z
      .array(z.object({ path: z.string(), bytes: z.int(), reason: z.string() }))
      .describe('ignored files that were left out'),
  })
  .meta({ id: 'snapshot', title: 'Snapshot' });
export type Snapshot = z.infer<typeof SnapshotSchema>;
export type OmittedFile = Snapshot['omitted'][number];

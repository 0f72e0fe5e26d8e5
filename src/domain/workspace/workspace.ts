import { z } from 'zod';
import { IsolationModeSchema } from '../isolation.js';
import { RuntimeNameSchema } from '../sandbox/runtime-finding.js';
import { SandboxSchema } from '../sandbox/sandbox.js';
import type { CheckpointState } from '../snapshot/checkpoint-state.js';
import { BUILT_IN_BACKENDS } from './backend-name.js';

export const BackendNameSchema = z
  .string()
  .describe(
    `how the files are kept: ${BUILT_IN_BACKENDS.join(', ')}, the path of a module, or a name that a program registered`,
  );
export type BackendName = z.infer<typeof BackendNameSchema>;

export const WorkspaceStatusSchema = z.enum(['creating', 'ready', 'removing']);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatusSchema>;

/** How the files of a workspace were created. It affects only speed, so a slower way is used without a warning. */
const PopulationSchema = z.object({
  way: z.enum(['checkout', 'spare', 'reflink', 'overlay']),
  reason: z.string().nullable().describe('why a faster way was not used'),
});
export type Population = z.infer<typeof PopulationSchema>;

/** The right to use a workspace until it is released. Every lease has a new id. */
const LeaseSchema = z.object({
  id: z.string(),
  holder: z.string().describe('description of the holder'),
  since: z.iso.datetime(),
});
/** The right to use a workspace: its id, the holder, and since when. */
export type Lease = z.infer<typeof LeaseSchema>;

/** One of the repositories of a workspace that has several: in each it has the same name and branch. */
const GroupMemberSchema = z.object({
  alias: z.string().describe('the name of this repository in the workspace'),
  id: z.string().describe("the id of the workspace's part in this repository"),
  repository: z.string().describe('absolute path of the repository'),
  path: z.string().describe('absolute path of the files'),
  branch: z.string().nullable(),
});
export type GroupMember = z.infer<typeof GroupMemberSchema>;

export const WorkspaceSchema = z
  .object({
    id: z.string().describe('ws_ and 16 characters, sorted by time'),
    name: z.string(),
    repository: z.string().describe('absolute path of the repository or directory it was created from'),
    backend: BackendNameSchema,
    runtime: RuntimeNameSchema,
    isolation: z.object({
      requested: IsolationModeSchema,
      effective: IsolationModeSchema,
      reason: z.string().nullable().describe('why effective differs from requested'),
      isStrict: z
        .boolean()
        .optional()
        .describe('true when a weaker mode than `full` was refused; a restored workspace refuses it too'),
    }),
    path: z.string().describe('absolute path of the files'),
    branch: z.string().nullable(),
    base: z.object({
      ref: z.string().nullable().describe('the requested base, such as main'),
      commit: z.string().nullable().describe('the commit it was resolved to at creation'),
    }),
    status: WorkspaceStatusSchema,
    lease: LeaseSchema.optional(),
    ports: z.array(z.int()).describe('ten ports that belong to this workspace'),
    createdAt: z.iso.datetime(),
    lastActivityAt: z.iso.datetime(),
    warnings: z.array(z.string()),
    sandbox: SandboxSchema.optional().describe('the sandbox of its commands, with `full` isolation'),
    population: PopulationSchema.optional().describe('how the files were created, and why not faster'),
    repositories: z
      .array(GroupMemberSchema)
      .optional()
      .describe('of a workspace with several repositories: all of them, the one it was created in first'),
  })
  .meta({ id: 'workspace', title: 'Workspace' });
/**
 * An isolated working copy of a repository, with its own branch, directory and ports.
 *
 * @example
 * ```ts
 * const { path, branch } = await carrel.workspaces.create({ name: 'login', isolation: 'worktree' });
 * const { exitCode, stdout } = await carrel.workspaces.exec('login', ['npm', 'test']);
 * ```
 */
export type Workspace = z.infer<typeof WorkspaceSchema>;

const ChangesSchema = z.object({
  staged: z.int(),
  unstaged: z.int(),
  untracked: z.int(),
  conflicted: z.int(),
});
export type Changes = z.infer<typeof ChangesSchema>;

/** A workspace with the state of its files. Unknown parts are null. */
export const WorkspaceDetailsSchema = WorkspaceSchema.extend({
  changes: ChangesSchema.nullable(),
  ahead: z.int().nullable().describe('commits that the base lacks'),
  behind: z.int().nullable().describe('commits of the base that it lacks'),
  conflictsWithBase: z.boolean().nullable(),
  sizeBytes: z.int().nullable(),
}).meta({ id: 'workspace-details', title: 'Workspace with its state' });
/** A workspace with the state of its files: changes, commits ahead and behind, conflicts and size. */
export type WorkspaceDetails = z.infer<typeof WorkspaceDetailsSchema>;

/** A file that was copied at creation; while unchanged it does not count as work. Paths are byte strings. */
export interface IncludedFile {
  /** With a trailing `/` it is a directory of many files, recorded as one. */
  readonly path: string;
  /** Of the content; of a directory its listing (see git/files/listing-hash.ts). */
  readonly sha256: string;
}

/** What the store keeps of a workspace beyond its public fields. */
export interface WorkspaceRecord extends Workspace {
  /** Identity of the repository: distinguishes two repositories of the same name, but changes when the repository moves. */
  readonly repositoryId: string;
  /** The git directory that all worktrees of the repository share; null without git. */
  readonly commonDir: string | null;
  /** Whether Carrel created the branch and so may delete it. */
  readonly ownsBranch: boolean;
  /** The journal entry of the operation that creates or removes it; null when it is ready. */
  readonly operationId: string | null;
  readonly template: string | null;
  /** Variables for commands that run in the workspace. */
  readonly environment: Readonly<Record<string, string>>;
  readonly included: readonly IncludedFile[];
  /**
   * Identifies the parent directory of the files on its file system. When the files are gone and this has changed, their
   * disk may just not be mounted. Absent in records of earlier versions, and where the files belong to the user.
   */
  readonly folder?: string;
  /** Absent until a command or the user has worked in it. */
  readonly checkpoint?: CheckpointState | undefined;
  /** The task that it was created for, which reserved its name and path; absent in records of earlier versions. */
  readonly taskId?: string | undefined;
  /** Set for each part of a workspace with several repositories. */
  readonly group?: GroupPlace | undefined;
}

/** Which workspace with several repositories something is a part of. */
export interface GroupPlace {
  /** The id of the part in the repository that it was created in. */
  readonly id: string;
  readonly alias: string;
}

import { z } from 'zod';
import { IsolationModeSchema } from './isolation.js';
import { RuntimeNameSchema } from './runtime.js';
import { SandboxSchema } from './sandbox.js';

const BackendNameSchema = z.enum(['git', 'direct', 'directory', 'jj', 'overlay']);
export type BackendName = z.infer<typeof BackendNameSchema>;

export const WorkspaceStatusSchema = z.enum(['creating', 'ready', 'removing']);
export type WorkspaceStatus = z.infer<typeof WorkspaceStatusSchema>;

/** How the files of a workspace came to be. This is about speed only, so a slower way is taken without a warning. */
const PopulationSchema = z.object({
  way: z.enum(['checkout', 'spare', 'reflink', 'overlay']),
  reason: z.string().nullable().describe('why it was not a faster way'),
});
export type Population = z.infer<typeof PopulationSchema>;

/** The right to use a workspace until it is returned. The id changes with every hand-out. */
const LeaseSchema = z.object({
  id: z.string(),
  holder: z.string().describe('who holds it, in words'),
  since: z.iso.datetime(),
});
export type Lease = z.infer<typeof LeaseSchema>;

export const WorkspaceSchema = z
  .object({
    id: z.string().describe('ws_ and 16 characters, sorted by time'),
    name: z.string(),
    repository: z.string().describe('absolute path of the repository or directory it was made from'),
    backend: BackendNameSchema,
    runtime: RuntimeNameSchema,
    isolation: z.object({
      requested: IsolationModeSchema,
      effective: IsolationModeSchema,
      reason: z.string().nullable().describe('why effective differs from requested'),
      isStrict: z
        .boolean()
        .optional()
        .describe('whether less than `full` was refused; what is restored of it is refused so too'),
    }),
    path: z.string().describe('absolute path of the files'),
    branch: z.string().nullable(),
    base: z.object({
      ref: z.string().nullable().describe('what was asked for, such as main'),
      commit: z.string().nullable().describe('what it was resolved to at creation'),
    }),
    status: WorkspaceStatusSchema,
    lease: LeaseSchema.optional(),
    ports: z.array(z.int()).describe('ten ports that belong to this workspace'),
    createdAt: z.iso.datetime(),
    lastActivityAt: z.iso.datetime(),
    warnings: z.array(z.string()),
    sandbox: SandboxSchema.optional().describe('what stands around its commands, with `full` isolation'),
    population: PopulationSchema.optional().describe('how the files came to be, and why not faster'),
  })
  .meta({ id: 'workspace', title: 'Workspace' });
export type Workspace = z.infer<typeof WorkspaceSchema>;

const ChangesSchema = z.object({
  staged: z.int(),
  unstaged: z.int(),
  untracked: z.int(),
  conflicted: z.int(),
});
export type Changes = z.infer<typeof ChangesSchema>;

/** A workspace with what a look at its files told. A part that could not be told is null. */
export const WorkspaceDetailsSchema = WorkspaceSchema.extend({
  changes: ChangesSchema.nullable(),
  ahead: z.int().nullable().describe('commits that the base lacks'),
  behind: z.int().nullable().describe('commits of the base that it lacks'),
  conflictsWithBase: z.boolean().nullable(),
  sizeBytes: z.int().nullable(),
}).meta({ id: 'workspace-details', title: 'Workspace with its state' });
export type WorkspaceDetails = z.infer<typeof WorkspaceDetailsSchema>;

/** A file that was brought along at creation; while it is unchanged it is nobody's work. Paths are byte strings. */
export interface IncludedFile {
  /** With a `/` at the end it is a directory of many files, recorded as one. */
  readonly path: string;
  /** Of the content; of a directory its listing (see git/work-tree/listing.ts). */
  readonly sha256: string;
}

/** What the store keeps of a workspace beyond its public face. */
export interface WorkspaceRecord extends Workspace {
  /** Identity of the repository: survives two repositories of one name, not a move of the repository. */
  readonly repositoryId: string;
  /** The git directory that all worktrees of the repository share; null without git. */
  readonly commonDir: string | null;
  /** Whether Carrel made the branch and so may delete it. */
  readonly ownsBranch: boolean;
  /** The journal entry of the operation that is making or removing it; null when it is ready. */
  readonly operationId: string | null;
  readonly template: string | null;
  /** Variables for commands that run in the workspace. */
  readonly environment: Readonly<Record<string, string>>;
  readonly included: readonly IncludedFile[];
}

import { z } from 'zod';
import { ATTEMPT_ISOLATIONS } from './attempt.js';
import { IsolationModeSchema } from './isolation.js';
import { RiskSchema } from './result.js';

/** Bodies that the HTTP API takes. `repository` is a path under the allow-list; the server's own when left out. */
const repository = z.string().min(1).optional().describe('a directory in the repository');

export const TaskRequestSchema = z
  .object({
    description: z.string().min(1).describe('what is to be done'),
    repository,
    workflow: z.string().optional(),
    agent: z.string().optional(),
    isolation: IsolationModeSchema.optional(),
    strict: z.boolean().optional(),
    base: z.string().optional(),
    keep: z.boolean().optional(),
    priority: z.int().optional(),
    timeoutSeconds: z.number().positive().optional(),
    costLimitUsd: z.number().positive().optional(),
    land: z.object({ into: z.string().nullable() }).optional(),
  })
  .meta({ id: 'task-request', title: 'A task to be done' });
export type TaskRequest = z.infer<typeof TaskRequestSchema>;

export const RetryRequestSchema = z
  .object({
    timeoutSeconds: z.number().positive().optional(),
    costLimitUsd: z.number().positive().optional(),
  })
  .meta({ id: 'retry-request', title: 'How a task is to be tried again' });
export type RetryRequest = z.infer<typeof RetryRequestSchema>;

export const WorkspaceRequestSchema = z
  .object({
    repository,
    name: z.string().optional().describe('one is made up when left out'),
    base: z.string().optional(),
    branch: z.string().optional(),
    isolation: IsolationModeSchema.optional(),
    strict: z.boolean().optional(),
    template: z.string().optional(),
  })
  .meta({ id: 'workspace-request', title: 'A workspace to be made' });
export type WorkspaceRequest = z.infer<typeof WorkspaceRequestSchema>;

export const LandRequestSchema = z
  .object({
    into: z.string().optional(),
    strategy: z.enum(['merge', 'squash', 'rebase']).optional(),
    message: z.string().optional(),
    keep: z.boolean().optional().describe('keep the workspace'),
  })
  .meta({ id: 'land-request', title: 'How a workspace is to be landed' });
export type LandRequest = z.infer<typeof LandRequestSchema>;

export const SnapshotRequestSchema = z
  .object({ message: z.string().optional() })
  .meta({ id: 'snapshot-request', title: 'A snapshot to be taken' });
export type SnapshotRequest = z.infer<typeof SnapshotRequestSchema>;

export const RestoreRequestSchema = z
  .object({ name: z.string().optional().describe('of the new workspace') })
  .meta({ id: 'restore-request', title: 'How a snapshot is to be restored' });
export type RestoreRequest = z.infer<typeof RestoreRequestSchema>;

export const WarmRequestSchema = z
  .object({ repository, count: z.int().min(0) })
  .meta({ id: 'warm-request', title: 'How many workspaces are to stand ready' });
export type WarmRequest = z.infer<typeof WarmRequestSchema>;

export const BatchRequestSchema = z
  .object({
    dataset: z.string().min(1).describe('golden; others are started from the command line'),
    agent: z.string().min(1),
    taskIds: z.array(z.string()).optional(),
    attempts: z.int().min(1).optional(),
    parallelism: z.int().min(1).max(64).optional(),
    isolation: z.enum(ATTEMPT_ISOLATIONS).optional(),
    costLimitUsd: z.number().positive().optional(),
    timeoutSeconds: z.number().positive().optional(),
  })
  .meta({ id: 'batch-request', title: 'A batch to be run' });
export type BatchRequest = z.infer<typeof BatchRequestSchema>;

/** What removing a workspace would lose, asked for before it is done. */
export const RemovalRisksSchema = z
  .object({ id: z.string(), name: z.string(), path: z.string(), risks: z.array(RiskSchema) })
  .meta({ id: 'removal-risks', title: 'What speaks against removing a workspace' });
export type RemovalRisks = Readonly<z.infer<typeof RemovalRisksSchema>>;

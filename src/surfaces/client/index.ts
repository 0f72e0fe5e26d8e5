export type { BatchRequest } from '../../batch/run/start.operation.js';
export type { Overview } from '../../domain/api/overview.js';
export type { RemovalRisks } from '../../domain/api/removal-risks.js';
export type { BatchSummary } from '../../domain/batch/batch-summary.js';
export type { Problem } from '../../domain/error/problem.js';
export type {
  DeveloperWorkflow,
  DeveloperWorktree,
  WorkflowRequest,
  WorkflowStatus,
} from '../../domain/story/developer-workflow.js';
export type { WarmRequest } from '../../operations/pool/warm.operation.js';
export type { RestoreRequest } from '../../operations/snapshot/restore.operation.js';
export type { SnapshotRequest } from '../../operations/snapshot/take.operation.js';
export type { LandRequest } from '../../operations/workspace/land.operation.js';
export type { TaskRequest } from '../../task/create.operation.js';
export type { RetryRequest } from '../../task/recovery/retry.operation.js';
export type { CallOptions, CarrelClient, MakingOptions, OfRepository } from './carrel-client.js';
export { createClient } from './create-client.js';
export type { ClientOptions } from './http.js';
export { ProblemError, UnreachableError } from './problem-error.js';

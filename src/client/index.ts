export type * from '../domain/api-requests.js';
export type { BatchSummary } from '../domain/batch-summary.js';
export type {
  DeveloperWorkflow,
  DeveloperWorktree,
  WorkflowRequest,
  WorkflowStatus,
} from '../domain/developer-workflow.js';
export type { Overview } from '../domain/overview.js';
export type { Problem } from '../domain/problem.js';
export type { CallOptions, CarrelClient, MakingOptions, OfRepository } from './carrel-client.js';
export { createClient } from './create-client.js';
export type { ClientOptions } from './http.js';
export { ProblemError, UnreachableError } from './problem-error.js';

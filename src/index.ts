export type { App, AppOptions } from './app.js';
export type { AgentChoice } from './batch/agents/resolve-eval-agent.js';
export type { AttemptPhase, BatchObserver, BatchProgress, SlotState } from './batch/batch-observer.js';
export type { BrokenItem, ItemFilter } from './batch/datasets/dataset.js';
export type { AgentRequest, AgentResult, EvalAgent } from './batch/eval-agent.js';
export type {
  AcquireOptions,
  BrokenTask,
  CollectedPatch,
  InitOptions,
  IsolationProvider,
  KeepOptions,
  PoolStats,
  ResetOptions,
  TaskEnvironment,
} from './batch/isolation-provider.js';
export type { BatchControl, Batches, BatchOptions, CheckOptions } from './batch/open-batches.js';
export type { ExportFormat } from './batch/report/export-run.js';
export { type Carrel, type CarrelOptions, createCarrel } from './carrel.js';
export { type CarrelConfig, ConfigSchema } from './config/config-schema.js';
export { type EffectiveConfig, getEffectiveConfig } from './config/effective-config.js';
export { loadWorkflow } from './config/workflows/load-workflow.js';
export type { Usage } from './domain/agent/usage.js';
export type { Attempt, AttemptIsolation, Grade, Outcome } from './domain/batch/attempt.js';
export type { BatchPlan, BatchRun, Totals } from './domain/batch/batch-run.js';
export type { Comparison } from './domain/batch/comparison.js';
export type { EvalItem, Grader } from './domain/batch/eval-item.js';
export type { CheckedItem, DatasetReport, RunRemoval } from './domain/batch/eval-report.js';
export type { TaskDescriptor } from './domain/batch/task-descriptor.js';
export { CarrelError, type ErrorKind, isCarrelError } from './domain/error/error.js';
export { type ErrorCode, errorCatalog } from './domain/error/error-catalog.js';
export type { CarrelEvent } from './domain/event.js';
export { resolveIsolationMode } from './domain/isolation/choose-isolation.js';
export {
  type WorkspaceConfig,
  WorkspaceConfigSchema,
  type WorkspaceDefaults,
  WorkspaceDefaultsSchema,
  type WorkspaceStrategy,
  WorkspaceStrategySchema,
} from './domain/isolation/workspace-config.js';
export {
  createWorkspaceConfigFromMode,
  mapIsolationModeToStrategy,
} from './domain/isolation/workspace-strategy.js';
export {
  type IsolationConfig,
  IsolationConfigSchema,
  type IsolationMode,
  IsolationModeSchema,
} from './domain/isolation.js';
export type { NetworkReport } from './domain/report/network-report.js';
export type { ResetResult } from './domain/report/reset-result.js';
export type {
  DoctorReport,
  ExecResult,
  GcReport,
  InitResult,
  LandResult,
  RemovalResult,
  TrustReport,
} from './domain/report/result.js';
export {
  type ContainerConfig,
  ContainerConfigSchema,
  ContainerDefaultsSchema,
} from './domain/sandbox/container.js';
export type { Snapshot } from './domain/snapshot/snapshot.js';
export type { LogLine } from './domain/task/log-line.js';
export type { Stage, StageOutput, Task, TaskStatus } from './domain/task/task.js';
export type { TaskObserver } from './domain/task/task-observer.js';
export type { Expectation, ValidationResult } from './domain/workflow/validation.js';
export {
  type WorkflowDefinition,
  WorkflowDefinitionSchema,
  WorkflowStageSchema,
} from './domain/workflow/workflow.js';
export type { PoolDraining, PoolReport, PoolWarming } from './domain/workspace/pool-report.js';
export type { AcceptedRisks, Risk } from './domain/workspace/risk.js';
export type { Lease, Workspace, WorkspaceDetails } from './domain/workspace/workspace.js';
export type { Context } from './operations/context.js';
export type { UpInput } from './operations/creation/plan-up.js';
export type { LeasePool } from './operations/pool/manage-pool.js';
export {
  type PooledSlot,
  type PoolFailure,
  PoolManager,
  type PoolManagerOptions,
  type PoolManagerStats,
} from './pool/pool-manager.js';
export type { Patience } from './pool/waiting-line.js';
export type {
  AcquireRequest,
  DrainOutcome,
  ReleaseOptions,
  ReleaseOutcome,
  WorkspaceLease,
  WorkspacePool,
  WorkspacePoolStats,
} from './pool/workspace-pool.js';
export {
  type BatchConfig,
  createIsolationProvider,
  DockerProvider,
  type IsolationProviderOptions,
  NoneProvider,
  type ProviderOptions,
  SandboxProvider,
  WorktreeProvider,
} from './standalone-providers.js';
export { createTask } from './strict-library.js';
export type { CreateTaskInput } from './task/create-task.js';
export { type ExecuteInput, executeTask } from './task/execute-task.js';
export type { RetryInput } from './task/recovery/retry-task.js';

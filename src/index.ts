export { type App, type AppOptions, openApp } from './app.js';

export { type AgentChoice, resolveEvalAgent } from './batch/agents/resolve-eval-agent.js';
export type { BatchControl, Batches, BatchOptions, CheckOptions } from './batch/batches.js';
export { checkDataset } from './batch/check-dataset.js';
export {
  chooseAttemptIsolation,
  createIsolationProvider,
  type ProviderRequest,
} from './batch/create-provider.js';
export type { BrokenItem, Dataset, ItemFilter } from './batch/dataset.js';
export { loadDataset, SHIPPED_DATASETS } from './batch/datasets/load-dataset.js';
export type { AgentRequest, AgentResult, EvalAgent } from './batch/eval-agent.js';
export { findRun, listRuns } from './batch/find-run.js';
export type {
  BrokenTask,
  CollectedPatch,
  IsolationProvider,
  ProviderStats,
  TaskDescriptor,
  TaskEnvironment,
} from './batch/isolation-provider.js';
export type { AttemptPhase, BatchObserver, BatchProgress, SlotState } from './batch/observer.js';
export { type BatchWishes, type PlannedBatch, planBatch } from './batch/plan-batch.js';
export { regradeRun } from './batch/regrade-run.js';
export { reopenItems, reopenRun } from './batch/reopen-run.js';
export { compareRuns } from './batch/report/compare-runs.js';
export { type ExportFormat, exportRun } from './batch/report/export-run.js';
export { type BatchInput, runBatch } from './batch/run-batch.js';
export { createRun, type OpenRun, openRun, readRun } from './batch/run-store.js';
export { type Carrel, type CarrelOptions, createCarrel } from './carrel.js';
export { type EffectiveConfig, getEffectiveConfig } from './config/effective-config.js';
export { type LoadedConfig, loadConfig } from './config/load.js';
export { loadWorkflow } from './config/load-workflow.js';
export { type CarrelConfig, ConfigSchema } from './config/schema.js';
export {
  type Attempt,
  type AttemptIsolation,
  AttemptSchema,
  type Grade,
  type Outcome,
} from './domain/attempt.js';
export {
  type BatchPlan,
  BatchPlanSchema,
  type BatchRun,
  BatchRunSchema,
  type Totals,
} from './domain/batch-run.js';
export { chooseIsolation, resolveIsolationMode } from './domain/choose-isolation.js';
export { type Comparison, ComparisonSchema } from './domain/comparison.js';
export { type ContainerConfig, ContainerConfigSchema, ContainerDefaultsSchema } from './domain/container.js';
export { degradeIsolation } from './domain/degrade-isolation.js';
export { CarrelError, type ErrorKind, isCarrelError } from './domain/error.js';
export { type ErrorCode, errorCatalog } from './domain/error-catalog.js';
export {
  DatasetFileSchema,
  type EvalItem,
  EvalItemSchema,
  type Grader,
  GraderSchema,
} from './domain/eval-item.js';
export type { CheckedItem, DatasetReport, RunRemoval } from './domain/eval-report.js';
export { type CarrelEvent, EventSchema } from './domain/event.js';
export {
  type IsolationConfig,
  IsolationConfigSchema,
  type IsolationMode,
  IsolationModeSchema,
} from './domain/isolation.js';
export type { LogLine } from './domain/log-line.js';
export type { PoolDraining, PoolReport, PoolWarming } from './domain/pool-report.js';
export type {
  DoctorReport,
  ExecResult,
  GcReport,
  InitResult,
  LandResult,
  RemovalResult,
  TrustReport,
} from './domain/result.js';
export type { AcceptedRisks, Risk } from './domain/risk.js';
export { type Snapshot, SnapshotSchema } from './domain/snapshot.js';
export {
  type Stage,
  type StageOutput,
  type Task,
  TaskSchema,
  type TaskStatus,
} from './domain/task.js';
export type { Usage } from './domain/usage.js';
export type { Expectation, ValidationResult } from './domain/validation.js';
export { type WorkflowDefinition, WorkflowDefinitionSchema, WorkflowStageSchema } from './domain/workflow.js';
export {
  type Lease,
  type Workspace,
  type WorkspaceDetails,
  WorkspaceDetailsSchema,
  WorkspaceSchema,
} from './domain/workspace.js';
export {
  type WorkspaceConfig,
  WorkspaceConfigSchema,
  type WorkspaceDefaults,
  WorkspaceDefaultsSchema,
  type WorkspaceStrategy,
  WorkspaceStrategySchema,
} from './domain/workspace-config.js';
export { createWorkspaceConfigFromMode, mapIsolationModeToStrategy } from './domain/workspace-strategy.js';
export { reportConfig } from './operations/config.js';
export type { Context } from './operations/context.js';
export { diffWorkspace } from './operations/diff.js';
export { diagnose } from './operations/doctor.js';
export { removeWorkspace } from './operations/down.js';
export { execInWorkspace } from './operations/exec.js';
export { initRepository } from './operations/init.js';
export { landWorkspace } from './operations/land.js';
export { leaseWorkspace, returnLease } from './operations/lease.js';
export { listWorkspaces } from './operations/list.js';
export { drainPool, type LeasePool, openWorkspacePool, poolStatus, warmPool } from './operations/pool.js';
export { restoreSnapshot } from './operations/restore.js';
export { jsonSchema, schemaNames } from './operations/schema.js';
export { showWorkspace } from './operations/show.js';
export { listSnapshots, snapshotWorkspace } from './operations/snapshot.js';
export { grantTrust, reportTrust, revokeTrust } from './operations/trust.js';
export { type UpInput, up } from './operations/up.js';
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
  PoolStats,
  ReleaseOptions,
  ReleaseOutcome,
  WorkspaceLease,
  WorkspacePool,
} from './pool/workspace-pool.js';
export { cancelTask } from './task/cancel-task.js';
export { type CreateTaskInput, createTask } from './task/create-task.js';
export { taskEvents } from './task/events-of-task.js';
export { type ExecuteInput, executeTask } from './task/execute-task.js';
export { collectAllGarbage as collectGarbage } from './task/forget-tasks.js';
export { landTask } from './task/land-task.js';
export { listTasks } from './task/list-tasks.js';
export type { TaskObserver } from './task/observer.js';
export { publishTask } from './task/publish-task.js';
export { readLog } from './task/read-log.js';
export { type RetryInput, retryTask } from './task/retry-task.js';
export { showTask } from './task/show-task.js';

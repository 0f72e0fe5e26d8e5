// The parts of `createCarrel`, for programs that need only one of them.
export { openApp } from './app.js';
export { resolveEvalAgent } from './batch/agents/resolve-eval-agent.js';
export { checkDataset } from './batch/check-dataset.js';
export { chooseAttemptIsolation } from './batch/create-provider.js';
export type { Dataset } from './batch/datasets/dataset.js';
export { loadDataset, SHIPPED_DATASETS } from './batch/datasets/load-dataset.js';
export { type PlannedBatch, type PlanOptions as BatchWishes, planBatch } from './batch/plan/plan-batch.js';
export { reopenItems, reopenRun } from './batch/plan/reopen-run.js';
export { findRun, listRuns } from './batch/record/find-run.js';
export { createRun, type OpenRun, openRun, readRun } from './batch/record/run-store.js';
export { compareRuns } from './batch/report/comparison/compare-runs.js';
export { exportRun } from './batch/report/export-run.js';
export { regradeRun } from './batch/run/regrade-run.js';
export { type BatchInput, runBatch } from './batch/run-batch.js';
export { type LoadedConfig, loadConfig } from './config/load-config.js';
export { AttemptSchema } from './domain/batch/attempt.js';
export { BatchPlanSchema, BatchRunSchema } from './domain/batch/batch-run.js';
export { ComparisonSchema } from './domain/batch/comparison.js';
export { DatasetFileSchema, EvalItemSchema, GraderSchema } from './domain/batch/eval-item.js';
export { EventSchema } from './domain/event.js';
export { chooseIsolation } from './domain/isolation/choose-isolation.js';
export { degradeIsolation } from './domain/isolation/degrade-isolation.js';
export { SnapshotSchema } from './domain/snapshot/snapshot.js';
export { TaskSchema } from './domain/task/task.js';
export { WorkspaceDetailsSchema, WorkspaceSchema } from './domain/workspace/workspace.js';
export { openEmbeddedEngine } from './fleet/embedded/open-embedded-engine.js';
export type {
  Claim,
  ClaimEnd,
  Claimed,
  Engine,
  EngineTiming,
  Handled,
  Reaped,
  Recorded,
} from './fleet/engine/engine.js';
export type { HostReport, HostState, WorkHost } from './fleet/engine/host.js';
export type { Job, JobKey, JobResult } from './fleet/engine/job.js';
export type { ClaimProgress, RunProgress, RunSummary, RunTerms } from './fleet/engine/run.js';
export { initPostgres } from './fleet/postgres/init-postgres.js';
export { openPostgresEngine } from './fleet/postgres/open-postgres-engine.js';
export { execInWorkspace } from './operations/command/exec.js';
export { diagnose } from './operations/diagnosis/doctor.js';
export { leaseWorkspace, returnLease } from './operations/guard/lease.js';
export { jsonSchema, schemaNames } from './operations/json-schema.js';
export { drainPool, openWorkspacePool, poolStatus, warmPool } from './operations/pool/manage-pool.js';
export { removeWorkspace } from './operations/removal/down.js';
export { reportConfig } from './operations/setup/config.js';
export { initRepository } from './operations/setup/init.js';
export { restoreSnapshot } from './operations/snapshot/restore.js';
export { listSnapshots, snapshotWorkspace } from './operations/snapshot/snapshot.js';
export { grantTrust, reportTrust, revokeTrust } from './operations/trust/trust.js';
export { diffWorkspace } from './operations/workspace/diff.js';
export { landWorkspace } from './operations/workspace/land.js';
export { listWorkspaces } from './operations/workspace/list.js';
export { showWorkspace } from './operations/workspace/show.js';
export { up } from './strict-library.js';
export { cancelTask } from './task/cancel-task.js';
export { landTask } from './task/delivery/land-task.js';
export { publishTask } from './task/delivery/publish-task.js';
export { taskEvents } from './task/log/follow-task-events.js';
export { readLog } from './task/log/read-log.js';
export { listTasks } from './task/record/list-tasks.js';
export { showTask } from './task/record/show-task.js';
export { collectAllGarbage as collectGarbage } from './task/recovery/expire-tasks.js';
export { retryTask } from './task/recovery/retry-task.js';
export type { Backend } from './workspace/backend.js';
export type { BackendFactory, BackendParts } from './workspace/backend-registry.js';

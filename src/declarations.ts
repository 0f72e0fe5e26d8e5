// Written by scripts/docs/generate-surfaces.mjs from the operations; do not edit.
import { checkBatchOperation } from './batch/check.operation.js';
import { datasetsBatchOperation } from './batch/datasets/datasets.operation.js';
import { listBatchesOperation } from './batch/record/list.operation.js';
import { removeBatchOperation } from './batch/record/remove.operation.js';
import { showBatchOperation } from './batch/record/show.operation.js';
import { logBatchOperation } from './batch/report/attempt-files/log.operation.js';
import { patchBatchOperation } from './batch/report/attempt-files/patch.operation.js';
import { compareBatchesOperation } from './batch/report/comparison/compare.operation.js';
import { exportBatchOperation } from './batch/report/export.operation.js';
import { reportBatchOperation } from './batch/report/html/report.operation.js';
import { gradeBatchOperation } from './batch/run/grade.operation.js';
import { resumeBatchOperation } from './batch/run/resume.operation.js';
import { startBatchOperation } from './batch/run/start.operation.js';
import { stopBatchOperation } from './batch/run/stop.operation.js';
import { showFleet } from './fleet/open/status.operation.js';
import { execInWorkspace } from './operations/command/exec.operation.js';
import { openWorkspace } from './operations/command/open.operation.js';
import { shellInWorkspace } from './operations/command/shell.operation.js';
import { diagnoseDoctorOperation } from './operations/diagnosis/diagnose.operation.js';
import { drainPool } from './operations/pool/drain.operation.js';
import { showPool } from './operations/pool/status.operation.js';
import { warmPool } from './operations/pool/warm.operation.js';
import { removeWorkspace } from './operations/removal/remove.operation.js';
import { listRisks } from './operations/removal/risks.operation.js';
import { resetWorkspace } from './operations/reset/reset.operation.js';
import { allowHosts } from './operations/sandbox/allow.operation.js';
import { showConfig } from './operations/setup/show-config.operation.js';
import { listSnapshots } from './operations/snapshot/list.operation.js';
import { restoreSnapshot } from './operations/snapshot/restore.operation.js';
import { snapshotWorkspace } from './operations/snapshot/take.operation.js';
import { createWorkspace } from './operations/workspace/create.operation.js';
import { diffWorkspace } from './operations/workspace/diff.operation.js';
import { landWorkspace } from './operations/workspace/land.operation.js';
import { listWorkspaces } from './operations/workspace/list.operation.js';
import { findWorkspacePath } from './operations/workspace/path.operation.js';
import { renameWorkspace } from './operations/workspace/rename.operation.js';
import { showWorkspace } from './operations/workspace/show.operation.js';
import { approveTaskOperation } from './task/approval/approve.operation.js';
import { rejectTaskOperation } from './task/approval/reject.operation.js';
import { cancelTaskOperation } from './task/cancel.operation.js';
import { createTaskOperation } from './task/create.operation.js';
import { diffTaskOperation } from './task/delivery/diff.operation.js';
import { landTaskOperation } from './task/delivery/land.operation.js';
import { publishTaskOperation } from './task/delivery/publish.operation.js';
import { logTaskOperation } from './task/log/log.operation.js';
import { listTasksOperation } from './task/record/list.operation.js';
import { showTaskOperation } from './task/record/show.operation.js';
import { collectGarbageOperation } from './task/recovery/collect.operation.js';
import { retryTaskOperation } from './task/recovery/retry.operation.js';

/** Every operation, for the surfaces that load all of them. */
export const declarations = [
  checkBatchOperation,
  datasetsBatchOperation,
  listBatchesOperation,
  removeBatchOperation,
  showBatchOperation,
  logBatchOperation,
  patchBatchOperation,
  compareBatchesOperation,
  exportBatchOperation,
  reportBatchOperation,
  gradeBatchOperation,
  resumeBatchOperation,
  startBatchOperation,
  stopBatchOperation,
  showFleet,
  execInWorkspace,
  openWorkspace,
  shellInWorkspace,
  diagnoseDoctorOperation,
  drainPool,
  showPool,
  warmPool,
  removeWorkspace,
  listRisks,
  resetWorkspace,
  allowHosts,
  showConfig,
  listSnapshots,
  restoreSnapshot,
  snapshotWorkspace,
  createWorkspace,
  diffWorkspace,
  landWorkspace,
  listWorkspaces,
  findWorkspacePath,
  renameWorkspace,
  showWorkspace,
  approveTaskOperation,
  rejectTaskOperation,
  cancelTaskOperation,
  createTaskOperation,
  diffTaskOperation,
  landTaskOperation,
  publishTaskOperation,
  logTaskOperation,
  listTasksOperation,
  showTaskOperation,
  collectGarbageOperation,
  retryTaskOperation,
] as const;

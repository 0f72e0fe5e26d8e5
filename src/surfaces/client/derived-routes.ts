// Written by scripts/docs/generate-surfaces.mjs from the operations; do not edit.
import type { ListBatchesAnswer } from '../../batch/record/list.operation.js';
import type { ShowBatchAnswer } from '../../batch/record/show.operation.js';
import type { LogBatchRequest } from '../../batch/report/attempt-files/log.operation.js';
import type { PatchBatchRequest } from '../../batch/report/attempt-files/patch.operation.js';
import type {
  CompareBatchesAnswer,
  CompareBatchesRequest,
} from '../../batch/report/comparison/compare.operation.js';
import type { ResumeBatchAnswer } from '../../batch/run/resume.operation.js';
import type { StartBatchAnswer, StartBatchRequest } from '../../batch/run/start.operation.js';
import type { StopBatchAnswer } from '../../batch/run/stop.operation.js';
import type { ShowFleetAnswer } from '../../fleet/open/status.operation.js';
import type { DiagnoseDoctorAnswer } from '../../operations/diagnosis/diagnose.operation.js';
import type { DrainPoolAnswer } from '../../operations/pool/drain.operation.js';
import type { ShowPoolAnswer } from '../../operations/pool/status.operation.js';
import type { WarmPoolAnswer, WarmPoolRequest } from '../../operations/pool/warm.operation.js';
import type {
  RemoveWorkspaceAnswer,
  RemoveWorkspaceRequest,
} from '../../operations/removal/remove.operation.js';
import type { ListRisksAnswer } from '../../operations/removal/risks.operation.js';
import type { ResetWorkspaceAnswer, ResetWorkspaceRequest } from '../../operations/reset/reset.operation.js';
import type { ShowConfigAnswer } from '../../operations/setup/show-config.operation.js';
import type { ListSnapshotsAnswer, ListSnapshotsRequest } from '../../operations/snapshot/list.operation.js';
import type {
  RestoreSnapshotAnswer,
  RestoreSnapshotRequest,
} from '../../operations/snapshot/restore.operation.js';
import type {
  SnapshotWorkspaceAnswer,
  SnapshotWorkspaceRequest,
} from '../../operations/snapshot/take.operation.js';
import type {
  CreateWorkspaceAnswer,
  CreateWorkspaceRequest,
} from '../../operations/workspace/create.operation.js';
import type { LandWorkspaceAnswer, LandWorkspaceRequest } from '../../operations/workspace/land.operation.js';
import type {
  ListWorkspacesAnswer,
  ListWorkspacesRequest,
} from '../../operations/workspace/list.operation.js';
import type {
  RenameWorkspaceAnswer,
  RenameWorkspaceRequest,
} from '../../operations/workspace/rename.operation.js';
import type { ShowWorkspaceAnswer } from '../../operations/workspace/show.operation.js';
import type { ApproveTaskAnswer, ApproveTaskRequest } from '../../task/approval/approve.operation.js';
import type { RejectTaskAnswer, RejectTaskRequest } from '../../task/approval/reject.operation.js';
import type { CancelTaskAnswer } from '../../task/cancel.operation.js';
import type { CreateTaskAnswer, CreateTaskRequest } from '../../task/create.operation.js';
import type { LandTaskAnswer, LandTaskRequest } from '../../task/delivery/land.operation.js';
import type { LogTaskAnswer, LogTaskRequest } from '../../task/log/log.operation.js';
import type { ListTasksAnswer, ListTasksRequest } from '../../task/record/list.operation.js';
import type { ShowTaskAnswer } from '../../task/record/show.operation.js';
import type { RetryTaskAnswer, RetryTaskRequest } from '../../task/recovery/retry.operation.js';
import type {
  CallAlone,
  CallInRepository,
  CallOnSubject,
  CallOnSubjectAlone,
  CallWithNames,
  DerivedRoute,
  MakingCall,
  Query,
  QueryOfRepository,
  StreamOfSubject,
} from './derive-calls.js';

/** The functions of the client that are derived from an operation, by what they work on. */
export interface DerivedCalls {
  readonly batch: {
    readonly list: Query<object, ListBatchesAnswer>;
    readonly show: CallOnSubjectAlone<ShowBatchAnswer>;
    readonly log: CallWithNames<LogBatchRequest, string, ['run', 'task', 'attempt']>;
    readonly patch: CallWithNames<PatchBatchRequest, string, ['run', 'task', 'attempt']>;
    readonly compare: CallWithNames<CompareBatchesRequest, CompareBatchesAnswer, ['runs']>;
    readonly report: CallOnSubjectAlone<string>;
    readonly resume: CallOnSubjectAlone<ResumeBatchAnswer>;
    readonly start: CallAlone<Omit<StartBatchRequest, 'out' | 'gate'>, StartBatchAnswer>;
    readonly stop: CallOnSubjectAlone<StopBatchAnswer>;
  };
  readonly fleet: { readonly status: Query<object, ShowFleetAnswer> };
  readonly doctor: { readonly diagnose: QueryOfRepository<object, DiagnoseDoctorAnswer> };
  readonly pool: {
    readonly drain: QueryOfRepository<object, DrainPoolAnswer>;
    readonly status: QueryOfRepository<object, ShowPoolAnswer>;
    readonly warm: CallInRepository<WarmPoolRequest, WarmPoolAnswer>;
  };
  readonly workspace: {
    readonly remove: CallOnSubject<
      Omit<RemoveWorkspaceRequest, 'snapshotChanges'>,
      RemoveWorkspaceAnswer,
      'workspace'
    >;
    readonly risks: CallOnSubjectAlone<ListRisksAnswer>;
    readonly reset: CallOnSubject<Omit<ResetWorkspaceRequest, 'trust'>, ResetWorkspaceAnswer, 'workspace'>;
    readonly snapshot: CallOnSubject<SnapshotWorkspaceRequest, SnapshotWorkspaceAnswer, 'workspace'>;
    readonly create: CallInRepository<
      Omit<CreateWorkspaceRequest, 'trust' | 'repositories'>,
      CreateWorkspaceAnswer
    >;
    readonly diff: CallOnSubjectAlone<string>;
    readonly land: CallOnSubject<LandWorkspaceRequest, LandWorkspaceAnswer, 'workspace'>;
    readonly list: QueryOfRepository<Omit<ListWorkspacesRequest, 'all'>, ListWorkspacesAnswer>;
    readonly rename: CallOnSubject<RenameWorkspaceRequest, RenameWorkspaceAnswer, 'workspace'>;
    readonly show: CallOnSubjectAlone<ShowWorkspaceAnswer>;
  };
  readonly config: { readonly show: QueryOfRepository<object, ShowConfigAnswer> };
  readonly snapshot: {
    readonly list: QueryOfRepository<Omit<ListSnapshotsRequest, 'all'>, ListSnapshotsAnswer>;
    readonly restore: CallOnSubject<RestoreSnapshotRequest, RestoreSnapshotAnswer, 'snapshot'>;
  };
  readonly task: {
    readonly approve: CallOnSubject<ApproveTaskRequest, ApproveTaskAnswer, 'task'>;
    readonly reject: CallOnSubject<RejectTaskRequest, RejectTaskAnswer, 'task'>;
    readonly cancel: CallOnSubjectAlone<CancelTaskAnswer>;
    readonly create: MakingCall<Omit<CreateTaskRequest, 'publish' | 'trust'>, CreateTaskAnswer>;
    readonly diff: CallOnSubjectAlone<string>;
    readonly land: CallOnSubject<LandTaskRequest, LandTaskAnswer, 'task'>;
    readonly log: StreamOfSubject<LogTaskRequest, LogTaskAnswer, 'task'>;
    readonly list: QueryOfRepository<Omit<ListTasksRequest, 'all'>, ListTasksAnswer>;
    readonly show: CallOnSubjectAlone<ShowTaskAnswer>;
    readonly retry: CallOnSubject<RetryTaskRequest, RetryTaskAnswer, 'task'>;
  };
}

export const derivedRoutes: readonly DerivedRoute[] = [
  {
    noun: 'batch',
    verb: 'list',
    call: 'batches.list',
    method: 'get',
    path: '/api/batches',
    isGlobal: true,
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'show',
    call: 'batches.show',
    names: ['run'],
    method: 'get',
    path: '/api/batches/{run}',
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'log',
    call: 'batches.log',
    names: ['run', 'task', 'attempt'],
    method: 'get',
    path: '/api/batches/{run}/attempts/{task}/{attempt}/log',
    isText: true,
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'patch',
    call: 'batches.patch',
    names: ['run', 'task', 'attempt'],
    method: 'get',
    path: '/api/batches/{run}/attempts/{task}/{attempt}/patch',
    isText: true,
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'compare',
    call: 'batches.compare',
    names: ['runs'],
    method: 'get',
    path: '/api/comparisons',
    isGlobal: true,
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'report',
    call: 'batches.report',
    names: ['run'],
    method: 'get',
    path: '/api/batches/{run}/report',
    isText: true,
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'resume',
    call: 'batches.resume',
    names: ['run'],
    method: 'post',
    path: '/api/batches/{run}/resume',
    fields: [],
  },
  {
    noun: 'batch',
    verb: 'start',
    call: 'batches.start',
    method: 'post',
    path: '/api/batches',
    isGlobal: true,
    fields: [
      'dataset',
      'taskIds',
      'tags',
      'difficulty',
      'language',
      'sample',
      'shuffle',
      'parallelism',
      'isolation',
      'timeoutSeconds',
      'agent',
      'model',
      'attempts',
      'costLimitUsd',
      'keepFailed',
      'quarantined',
    ],
  },
  {
    noun: 'batch',
    verb: 'stop',
    call: 'batches.stop',
    names: ['run'],
    method: 'post',
    path: '/api/batches/{run}/stop',
    fields: [],
  },
  {
    noun: 'fleet',
    verb: 'status',
    call: 'fleet.status',
    method: 'get',
    path: '/api/fleet',
    isGlobal: true,
    fields: [],
  },
  { noun: 'doctor', verb: 'diagnose', call: 'doctor', method: 'get', path: '/api/doctor', fields: [] },
  { noun: 'pool', verb: 'drain', call: 'pool.drain', method: 'post', path: '/api/pool/drain', fields: [] },
  { noun: 'pool', verb: 'status', call: 'pool.status', method: 'get', path: '/api/pool', fields: [] },
  {
    noun: 'pool',
    verb: 'warm',
    call: 'pool.warm',
    method: 'post',
    path: '/api/pool/warm',
    fields: ['count', 'base', 'kind'],
  },
  {
    noun: 'workspace',
    verb: 'remove',
    call: 'workspaces.remove',
    names: ['workspace'],
    method: 'delete',
    path: '/api/workspaces/{workspace}',
    fields: ['discardChanges', 'discardCommits', 'stopProcesses', 'breakLease'],
  },
  {
    noun: 'workspace',
    verb: 'risks',
    call: 'workspaces.risks',
    names: ['workspace'],
    method: 'get',
    path: '/api/workspaces/{workspace}/risks',
    fields: [],
  },
  {
    noun: 'workspace',
    verb: 'reset',
    call: 'workspaces.reset',
    names: ['workspace'],
    method: 'post',
    path: '/api/workspaces/{workspace}/reset',
    fields: ['discardChanges', 'discardCommits', 'stopProcesses', 'setup'],
  },
  { noun: 'config', verb: 'show', call: 'config', method: 'get', path: '/api/config', fields: [] },
  {
    noun: 'snapshot',
    verb: 'list',
    call: 'snapshots.list',
    method: 'get',
    path: '/api/snapshots',
    fields: ['workspace'],
  },
  {
    noun: 'snapshot',
    verb: 'restore',
    call: 'snapshots.restore',
    names: ['snapshot'],
    method: 'post',
    path: '/api/snapshots/{snapshot}/restore',
    fields: ['as'],
  },
  {
    noun: 'workspace',
    verb: 'snapshot',
    call: 'workspaces.snapshot',
    names: ['workspace'],
    method: 'post',
    path: '/api/workspaces/{workspace}/snapshots',
    fields: ['message'],
  },
  {
    noun: 'workspace',
    verb: 'create',
    call: 'workspaces.create',
    method: 'post',
    path: '/api/workspaces',
    fields: ['name', 'branch', 'base', 'isolation', 'strict', 'template', 'setup', 'form'],
  },
  {
    noun: 'workspace',
    verb: 'diff',
    call: 'workspaces.diff',
    names: ['workspace'],
    method: 'get',
    path: '/api/workspaces/{workspace}/diff',
    isText: true,
    fields: [],
  },
  {
    noun: 'workspace',
    verb: 'land',
    call: 'workspaces.land',
    names: ['workspace'],
    method: 'post',
    path: '/api/workspaces/{workspace}/land',
    fields: ['into', 'strategy', 'message', 'keep', 'allowAutorunFiles'],
  },
  {
    noun: 'workspace',
    verb: 'list',
    call: 'workspaces.list',
    method: 'get',
    path: '/api/workspaces',
    fields: ['fast'],
  },
  {
    noun: 'workspace',
    verb: 'rename',
    call: 'workspaces.rename',
    names: ['workspace'],
    method: 'post',
    path: '/api/workspaces/{workspace}/rename',
    fields: ['newName'],
  },
  {
    noun: 'workspace',
    verb: 'show',
    call: 'workspaces.show',
    names: ['workspace'],
    method: 'get',
    path: '/api/workspaces/{workspace}',
    fields: [],
  },
  {
    noun: 'task',
    verb: 'approve',
    call: 'tasks.approve',
    names: ['task'],
    method: 'post',
    path: '/api/tasks/{task}/approve',
    fields: ['stage', 'message'],
  },
  {
    noun: 'task',
    verb: 'reject',
    call: 'tasks.reject',
    names: ['task'],
    method: 'post',
    path: '/api/tasks/{task}/reject',
    fields: ['message', 'stage', 'retry'],
  },
  {
    noun: 'task',
    verb: 'cancel',
    call: 'tasks.cancel',
    names: ['task'],
    method: 'post',
    path: '/api/tasks/{task}/cancel',
    fields: [],
  },
  {
    noun: 'task',
    verb: 'create',
    call: 'tasks.create',
    method: 'post',
    path: '/api/tasks',
    isRepeatable: true,
    fields: [
      'description',
      'workflow',
      'trigger',
      'agent',
      'isolation',
      'strict',
      'workspace',
      'base',
      'branch',
      'issue',
      'keep',
      'priority',
      'timeoutSeconds',
      'costLimitUsd',
      'tokenLimit',
      'land',
    ],
  },
  {
    noun: 'task',
    verb: 'diff',
    call: 'tasks.diff',
    names: ['task'],
    method: 'get',
    path: '/api/tasks/{task}/diff',
    isText: true,
    fields: [],
  },
  {
    noun: 'task',
    verb: 'land',
    call: 'tasks.land',
    names: ['task'],
    method: 'post',
    path: '/api/tasks/{task}/land',
    fields: ['into', 'strategy', 'message', 'keep', 'allowAutorunFiles'],
  },
  {
    noun: 'task',
    verb: 'log',
    call: 'tasks.log',
    names: ['task'],
    method: 'get',
    path: '/api/tasks/{task}/logs',
    isStream: true,
    fields: ['follow', 'tail'],
  },
  {
    noun: 'task',
    verb: 'list',
    call: 'tasks.list',
    method: 'get',
    path: '/api/tasks',
    fields: ['status', 'limit'],
  },
  {
    noun: 'task',
    verb: 'show',
    call: 'tasks.show',
    names: ['task'],
    method: 'get',
    path: '/api/tasks/{task}',
    fields: [],
  },
  {
    noun: 'task',
    verb: 'retry',
    call: 'tasks.retry',
    names: ['task'],
    method: 'post',
    path: '/api/tasks/{task}/retry',
    fields: ['timeoutSeconds', 'costLimitUsd', 'tokenLimit'],
  },
];

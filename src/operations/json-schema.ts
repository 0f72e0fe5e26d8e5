import { z } from 'zod';
import { ConfigSchema } from '../config/config-schema.js';
import { AgentSchema } from '../domain/agent/agent.js';
import { BatchRunSchema } from '../domain/batch/batch-run.js';
import { ComparisonSchema } from '../domain/batch/comparison.js';
import { DatasetFileSchema } from '../domain/batch/eval-item.js';
import {
  AttemptsSchema,
  BatchRunsSchema,
  DatasetReportSchema,
  EvalCheckSchema,
  RunExportSchema,
  RunRemovalSchema,
} from '../domain/batch/eval-report.js';
import { carrelError } from '../domain/error/error.js';
import { EventSchema } from '../domain/event.js';
import {
  FleetCleanupSchema,
  FleetCreationSchema,
  FleetDrainingSchema,
  FleetKeySchema,
  FleetRunSchema,
  FleetSchema,
  FleetStatusSchema,
  FleetTemplateSchema,
  WorkerSchema,
} from '../domain/fleet/fleet-report.js';
import { DiffReportSchema } from '../domain/report/diff-report.js';
import { ImageReportSchema } from '../domain/report/image-report.js';
import { InstallReportSchema } from '../domain/report/install-report.js';
import { NetworkReportSchema } from '../domain/report/network-report.js';
import { ResetResultSchema } from '../domain/report/reset-result.js';
import {
  ConfigReportSchema,
  DoctorReportSchema,
  ErrorReportSchema,
  ExecResultSchema,
  GcReportSchema,
  InitResultSchema,
  LandResultSchema,
  OpeningSchema,
  PathReportSchema,
  RemovalResultSchema,
  TrustReportSchema,
} from '../domain/report/result.js';
import { WorkspacePageSchema } from '../domain/report/workspace-page.js';
import { SnapshotSchema } from '../domain/snapshot/snapshot.js';
import { StoryFileSchema } from '../domain/story/story-file.js';
import { StoryReportSchema } from '../domain/story/story-report.js';
import { LogLineSchema } from '../domain/task/log-line.js';
import { TaskSchema } from '../domain/task/task.js';
import { nearest } from '../domain/text/nearest-word.js';
import { WorkflowDefinitionSchema } from '../domain/workflow/workflow.js';
import {
  WorkflowCheckSchema,
  WorkflowListSchema,
  WorkflowPageSchema,
} from '../domain/workflow/workflow-report.js';
import { PoolDrainingSchema, PoolReportSchema, PoolWarmingSchema } from '../domain/workspace/pool-report.js';
import { WorkspaceDetailsSchema, WorkspaceSchema } from '../domain/workspace/workspace.js';

const DashboardLinkSchema = z
  .object({ url: z.string().describe('link for a browser; works once, within ten minutes') })
  .meta({ id: 'dashboard-link', title: 'A link into the dashboard' });

const CompletionSchema = z
  .object({ shell: z.enum(['bash', 'zsh', 'fish']), script: z.string() })
  .meta({ id: 'completion', title: 'A completion script' });

const list = <Item extends z.ZodType>(item: Item, id: string, title: string) =>
  z.array(item).meta({ id, title });

/** Every published shape: what the commands print with --json, and the files that users write. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  workspace: WorkspaceSchema,
  'workspace-details': WorkspaceDetailsSchema,
  'workspace-page': WorkspacePageSchema,
  workspaces: list(WorkspaceDetailsSchema, 'workspaces', 'Workspaces with their state'),
  worktrees: list(
    WorkspaceDetailsSchema.extend({
      workflowId: z.string().nullable().describe('the task that it belongs to; null for none'),
    }),
    'worktrees',
    'Workspaces with their state and task',
  ),
  task: TaskSchema,
  tasks: list(TaskSchema, 'tasks', 'Tasks, oldest first'),
  'batch-run': BatchRunSchema,
  'batch-runs': BatchRunsSchema,
  attempts: AttemptsSchema,
  comparison: ComparisonSchema,
  'eval-check': EvalCheckSchema,
  'dataset-report': DatasetReportSchema,
  'run-export': RunExportSchema,
  'run-removal': RunRemovalSchema,
  'log-line': LogLineSchema,
  snapshot: SnapshotSchema,
  snapshots: list(SnapshotSchema, 'snapshots', 'Snapshots, newest first'),
  path: PathReportSchema,
  opening: OpeningSchema,
  'command-result': ExecResultSchema,
  diff: DiffReportSchema,
  landing: LandResultSchema,
  removal: RemovalResultSchema,
  reset: ResetResultSchema,
  'network-report': NetworkReportSchema,
  gc: GcReportSchema,
  pool: PoolReportSchema,
  'pool-warming': PoolWarmingSchema,
  'pool-draining': PoolDrainingSchema,
  init: InitResultSchema,
  trust: TrustReportSchema,
  doctor: DoctorReportSchema,
  image: ImageReportSchema,
  install: InstallReportSchema,
  'config-report': ConfigReportSchema,
  completion: CompletionSchema,
  error: ErrorReportSchema,
  event: EventSchema,
  config: ConfigSchema,
  workflow: WorkflowDefinitionSchema,
  dataset: DatasetFileSchema,
  agent: AgentSchema,
  workflows: WorkflowListSchema,
  'workflow-page': WorkflowPageSchema,
  'workflow-check': WorkflowCheckSchema,
  story: StoryFileSchema,
  'story-report': StoryReportSchema,
  'dashboard-link': DashboardLinkSchema,
  fleet: FleetSchema,
  'fleet-run': FleetRunSchema,
  'fleet-status': FleetStatusSchema,
  'fleet-creation': FleetCreationSchema,
  'fleet-cleanup': FleetCleanupSchema,
  'fleet-key': FleetKeySchema,
  'fleet-draining': FleetDrainingSchema,
  'fleet-template': FleetTemplateSchema,
  worker: WorkerSchema,
};

/** In files users may omit what has a default; answers have everything. */
const writtenByPeople = new Set(['config', 'workflow', 'agent', 'dataset', 'story']);

export function schemaNames(): string[] {
  return Object.keys(schemas);
}

/** The JSON Schema (draft 2020-12) of a published shape. */
export function jsonSchema(name: string): object {
  const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
  if (!schema) {
    const known = schemaNames();
    throw carrelError('UNKNOWN_SCHEMA', { name, known, nearest: nearest(name, known) });
  }
  const io = writtenByPeople.has(name) ? 'input' : 'output';
  return bringToTop(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

/** zod puts a shape that has an id below `$defs` and refers to it; a reader expects it at the top. */
function bringToTop({ $ref, $defs = {}, ...rest }: z.core.JSONSchema.JSONSchema): object {
  const id = $ref?.replace('#/$defs/', '');
  if (id === undefined) return { ...rest, ...(Object.keys($defs).length > 0 ? { $defs } : {}) };
  const { [id]: shape, ...others } = $defs;
  return bringToTop({ ...rest, ...shape, $defs: others });
}

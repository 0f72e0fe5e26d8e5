import { z } from 'zod';
import { ConfigSchema } from '../config/schema.js';
import { AgentSchema } from '../domain/agent.js';
import { BatchRunSchema } from '../domain/batch-run.js';
import { ComparisonSchema } from '../domain/comparison.js';
import { carrelError } from '../domain/error.js';
import { DatasetFileSchema } from '../domain/eval-item.js';
import {
  AttemptsSchema,
  BatchRunsSchema,
  DatasetReportSchema,
  EvalCheckSchema,
  RunExportSchema,
  RunRemovalSchema,
} from '../domain/eval-report.js';
import { EventSchema } from '../domain/event.js';
import { ImageReportSchema } from '../domain/image.js';
import { InstallReportSchema } from '../domain/install-report.js';
import { LogLineSchema } from '../domain/log-line.js';
import { nearest } from '../domain/nearest.js';
import { PoolDrainingSchema, PoolReportSchema, PoolWarmingSchema } from '../domain/pool-report.js';
import {
  ConfigReportSchema,
  DoctorReportSchema,
  ErrorReportSchema,
  ExecResultSchema,
  GcReportSchema,
  InitResultSchema,
  LandResultSchema,
  PathReportSchema,
  RefusedConnectionSchema,
  RemovalResultSchema,
  RiskSchema,
  TrustReportSchema,
} from '../domain/result.js';
import { SnapshotSchema } from '../domain/snapshot.js';
import { StoryFileSchema } from '../domain/story-file.js';
import { StoryReportSchema } from '../domain/story-report.js';
import { TaskSchema } from '../domain/task.js';
import { WorkflowDefinitionSchema } from '../domain/workflow.js';
import { WorkflowCheckSchema, WorkflowListSchema, WorkflowPageSchema } from '../domain/workflow-report.js';
import { WorkspaceDetailsSchema, WorkspaceSchema } from '../domain/workspace.js';

/** What `carrel diff --json` prints. */
const DiffReportSchema = z
  .object({
    format: z.enum(['patch', 'stat', 'name-only']),
    encoding: z.enum(['utf-8', 'base64']).describe('of `diff`; base64 when the patch is not UTF-8'),
    diff: z.string(),
    skipped: z.array(z.string()).describe('what a patch can not hold'),
  })
  .meta({ id: 'diff', title: 'What changed in a workspace' });
export type DiffReport = z.infer<typeof DiffReportSchema>;

const WorkspacePageSchema = WorkspaceDetailsSchema.extend({
  risks: z.array(RiskSchema).describe('what removing it would risk'),
  refusedConnections: z.array(RefusedConnectionSchema).describe("what its sandbox's network refused lately"),
  snapshots: z.array(SnapshotSchema),
}).meta({ id: 'workspace-page', title: 'Workspace with its risks and snapshots' });

const OpeningSchema = z
  .object({ command: z.string(), path: z.string() })
  .meta({ id: 'opening', title: 'What `carrel open` started' });

const DashboardLinkSchema = z
  .object({ url: z.string().describe('for a browser; works once, for ten minutes') })
  .meta({ id: 'dashboard-link', title: 'A link into the dashboard' });

const CompletionSchema = z
  .object({ shell: z.enum(['bash', 'zsh', 'fish']), script: z.string() })
  .meta({ id: 'completion', title: 'A completion script' });

const list = <Item extends z.ZodType>(item: Item, id: string, title: string) =>
  z.array(item).meta({ id, title });

/** Every published shape: what the commands print with --json, and the files that people write. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  workspace: WorkspaceSchema,
  'workspace-details': WorkspaceDetailsSchema,
  'workspace-page': WorkspacePageSchema,
  workspaces: list(WorkspaceDetailsSchema, 'workspaces', 'Workspaces with their state'),
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
};

/** Files are written by people, who may leave out what has a default; answers hold everything. */
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

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { findByWord } from '../../../test/helpers/machine/processes.js';
import { type RecordedCall, recordCalls } from '../../../test/helpers/server/api-recorder.js';
import { makeStorySite } from '../../../test/helpers/task/story-site.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { OverviewSchema } from '../../domain/api/overview.js';
import { RemovalRisksSchema } from '../../domain/api/removal-risks.js';
import { BatchRunSchema } from '../../domain/batch/batch-run.js';
import { BatchSummarySchema } from '../../domain/batch/batch-summary.js';
import { ComparisonSchema } from '../../domain/batch/comparison.js';
import { FleetStatusSchema } from '../../domain/fleet/fleet-report.js';
import {
  ConfigReportSchema,
  DoctorReportSchema,
  LandResultSchema,
  RemovalResultSchema,
} from '../../domain/report/result.js';
import { WorkspacePageSchema } from '../../domain/report/workspace-page.js';
import { SnapshotSchema } from '../../domain/snapshot/snapshot.js';
import { DeveloperWorkflowSchema, DeveloperWorktreeSchema } from '../../domain/story/developer-workflow.js';
import { LogLineSchema } from '../../domain/task/log-line.js';
import { TaskSchema } from '../../domain/task/task.js';
import {
  PoolDrainingSchema,
  PoolReportSchema,
  PoolWarmingSchema,
} from '../../domain/workspace/pool-report.js';
import { WorkspaceDetailsSchema, WorkspaceSchema } from '../../domain/workspace/workspace.js';
import type { CarrelClient } from './carrel-client.js';
import { createClient } from './create-client.js';
import { derivedRoutes } from './derived-routes.js';

/** The answer of each operation with a JSON answer. */
const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  health: z.strictObject({ status: z.literal('ok'), version: z.string() }),
  showOverview: OverviewSchema,
  submitWorkflow: DeveloperWorkflowSchema,
  listWorkflows: DeveloperWorkflowSchema.array(),
  showWorkflow: DeveloperWorkflowSchema,
  listWorktrees: DeveloperWorktreeSchema.array(),
  removeWorktree: RemovalResultSchema,
  createTask: TaskSchema,
  listTasks: TaskSchema.array(),
  showTask: TaskSchema,
  cancelTask: TaskSchema,
  retryTask: TaskSchema,
  landTask: LandResultSchema,
  readTaskLog: LogLineSchema.array(),
  createWorkspace: WorkspaceSchema,
  listWorkspaces: WorkspaceDetailsSchema.array(),
  showWorkspace: WorkspacePageSchema,
  listWorkspaceRisks: RemovalRisksSchema,
  snapshotWorkspace: SnapshotSchema,
  landWorkspace: LandResultSchema,
  removeWorkspace: RemovalResultSchema,
  listSnapshots: SnapshotSchema.array(),
  restoreSnapshot: WorkspaceSchema,
  showPool: PoolReportSchema,
  warmPool: PoolWarmingSchema,
  drainPool: PoolDrainingSchema,
  startBatch: BatchSummarySchema,
  listBatches: BatchSummarySchema.array(),
  showBatch: BatchRunSchema,
  stopBatch: BatchSummarySchema,
  resumeBatch: BatchSummarySchema,
  compareBatches: ComparisonSchema,
  showFleet: FleetStatusSchema,
  showConfig: ConfigReportSchema,
  diagnose: DoctorReportSchema,
};

/** For users, monitoring and browsers. */
const NOT_OF_THE_CLIENT = ['metrics', 'createLoginLink', 'createPageLink', 'endSession', 'showBatchReport'];

test('every call of the client is an operation of the document, and its answer matches the schema', async () => {
  const site = await makeStorySite(
    'echo "$1" > made.txt; git add made.txt; git commit --quiet --message made',
  );
  const { calls, fetch } = recordCalls();
  const client = createClient({ baseUrl: site.url, token: site.token, fetch });
  await client.health();
  const { repository } = site;
  await driveStory(client, repository);
  await driveTasks(client, repository);
  await driveWorkspaces(client, repository);
  await driveBatches(client);
  await client.pool.warm({ repository, count: 1 });
  await client.pool.status({ repository });
  await client.pool.drain({ repository });
  await client.fleet.status();
  await client.config({ repository });
  await client.doctor();
  await client.overview();
  const document = (await (await site.fetch('/openapi.json')).json()) as ApiDocument;
  const operations = listOperations(document);
  const called = calls.map(call => matchCall(operations, call));
  // Each derived operation has its own test.
  const derived = derivedRoutes.map(({ noun, verb }) => `${verb}${noun[0]?.toUpperCase()}${noun.slice(1)}`);
  const left = [...NOT_OF_THE_CLIENT, ...derived.filter(id => !called.includes(id))];
  const known = operations.map(({ id }) => id).filter(id => !left.includes(id));
  expect([...new Set(called)].sort()).toEqual(known.sort());
});

async function driveStory(client: CarrelClient, targetRepository: string): Promise<void> {
  const { id } = await client.developer.submit(
    { story: 'Add a file', targetRepository },
    { waitSeconds: 60 },
  );
  expect(await client.developer.show(id)).toMatchObject({ status: 'completed' });
  await client.developer.list();
  await client.developer.worktrees();
  await client.developer.removeWorktree(id);
}

async function driveTasks({ tasks, events }: CarrelClient, repository: string): Promise<void> {
  const { id } = await tasks.create({ repository, description: 'Add another', keep: true });
  const types = [];
  for await (const { type } of events({ taskId: id, after: 0 })) types.push(type);
  expect(types.at(0)).toBe('task.created');
  expect(types.join(' ')).toContain('task.succeeded');
  const texts = async (follow: boolean) => {
    const lines = [];
    for await (const { text } of tasks.log(id, { follow })) lines.push(text);
    return lines;
  };
  expect(await texts(true)).toEqual(await texts(false));
  expect(await tasks.diff(id)).toContain('+++ b/made.txt');
  expect(await tasks.list({ status: 'succeeded', limit: 1 })).toMatchObject([{ id }]);
  await tasks.land(id);
  expect(await tasks.show(id)).toMatchObject({ status: 'succeeded' });
  await expect(tasks.cancel(id)).rejects.toMatchObject({ problem: { kind: expect.any(String) } });
  await expect(tasks.retry(id)).rejects.toMatchObject({ problem: { kind: expect.any(String) } });
}

async function driveWorkspaces({ workspaces, snapshots }: CarrelClient, repository: string): Promise<void> {
  const { id, path } = await workspaces.create({ repository, name: 'desk', isolation: 'worktree' });
  writeFileSync(join(path, 'new.txt'), 'mine\n');
  expect(await workspaces.diff(id)).toContain('+mine');
  await workspaces.show(id);
  await workspaces.risks(id);
  await workspaces.list({ repository });
  const snapshot = await workspaces.snapshot(id);
  await workspaces.land(id, { message: 'mine' });
  await snapshots.list();
  const restored = await snapshots.restore(snapshot.id, { as: 'again' });
  await workspaces.remove(restored.id, { discardChanges: true, discardCommits: true });
}

async function driveBatches({ batches }: CarrelClient): Promise<void> {
  const taskIds = ['fix-typo-001'];
  const { id } = await batches.start({ dataset: 'golden', agent: 'oracle', taskIds });
  await waitFor('the end of the batch', () => (findByWord(id).length === 0 ? true : undefined), 60_000);
  expect(await batches.show(id)).toMatchObject({ status: 'finished' });
  await batches.list();
  await batches.stop(id);
  await batches.resume(id);
  await batches.compare([id, id]);
  await batches.patch(id, 'fix-typo-001', 1);
  await batches.log(id, 'fix-typo-001', 1);
}

interface Answer {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface ApiDocument {
  readonly paths: Readonly<
    Record<string, Record<string, { operationId: string; responses: Readonly<Record<string, Answer>> }>>
  >;
}

interface ListedOperation {
  readonly id: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly responses: Readonly<Record<string, Answer>>;
}

const listOperations = ({ paths }: ApiDocument): ListedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId: id, responses }]) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
      return { id, method, pattern, responses };
    }),
  );

/** The operation of a call. Fails if the document does not have the answer. */
function matchCall(operations: readonly ListedOperation[], call: RecordedCall): string {
  const own = operations.filter(({ method, pattern }) => method === call.method && pattern.test(call.path));
  const [operation] = own;
  if (!operation || own.length > 1)
    throw new Error(`${call.method} ${call.path} matches ${own.length} operations`);
  const answer = operation.responses[call.status];
  const types = Object.keys(answer?.content ?? {});
  expect({ ...call, types }, operation.id).toMatchObject({ types: expect.arrayContaining([call.type]) });
  if (call.type !== 'application/json') return operation.id;
  const schema = ANSWERS[operation.id];
  if (!schema) throw new Error(`the answer of ${operation.id} is not listed here`);
  schema.parse(call.body);
  return operation.id;
}

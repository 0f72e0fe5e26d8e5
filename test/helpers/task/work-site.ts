import { onTestFinished } from 'vitest';
import { type App, openApp } from '../../../src/app.js';
import type { TaskRecord } from '../../../src/domain/task/task.js';
import type { WorkspaceRecord } from '../../../src/domain/workspace/workspace.js';
import type { UpInput } from '../../../src/operations/creation/plan-up.js';
import { up } from '../../../src/operations/workspace/up.js';
import { createCarrel } from '../carrel.js';
import { makeRepository } from '../repository.js';

/** A repository and Carrel in this process, with workspaces as tasks have them. */
export interface WorkSite {
  readonly app: App;
  readonly repository: string;
  /** Everything that was narrated. */
  readonly told: string[];
  /** A ready workspace on the branch `carrel/NAME`. */
  readonly up: (name: string, input?: Partial<UpInput>) => Promise<WorkspaceRecord>;
  /** A task of the workspace that has ended well, in the store. */
  readonly task: (record: WorkspaceRecord, change?: Partial<TaskRecord>) => Promise<TaskRecord>;
}

export async function makeWorkSite(
  repository = makeRepository({ 'one.txt': 'one\n', '.gitignore': '*.log\n' }),
  extra: Readonly<Record<string, string>> = {},
): Promise<WorkSite> {
  const told: string[] = [];
  const environment = createCarrel(undefined, extra).env;
  const app = await openApp({ environment, cwd: repository, narrate: line => told.push(line) });
  onTestFinished(() => app.close());
  return {
    app,
    repository,
    told,
    up: async (name, input = {}) => {
      const { id } = await up(app, { repository, name, isolation: 'worktree', ...input });
      return (await app.store.workspaces.find(id)) as WorkspaceRecord;
    },
    task: async (record, change = {}) => {
      const task = { ...describeTask(record, new Date(app.now()).toISOString()), ...change };
      await app.store.tasks.insert(task, []);
      return task;
    },
  };
}

function describeTask(record: WorkspaceRecord, at: string): TaskRecord {
  return {
    id: record.id.replace('ws_', 'task_'),
    description: 'Add a dark mode\n\nwith a switch',
    repository: record.repository,
    repositoryId: record.repositoryId,
    workflow: 'quick',
    agent: null,
    status: 'succeeded',
    priority: 0,
    isolation: record.isolation,
    workspaceId: record.id,
    workspaceName: record.name,
    worktreePath: record.path,
    workspaceKept: true,
    branch: record.branch,
    base: record.base.commit,
    head: null,
    stages: [],
    validation: [],
    usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
    runs: [],
    landed: null,
    published: null,
    warnings: [],
    createdAt: at,
    endedAt: at,
    owner: null,
    heartbeatAt: null,
    cancelRequestedAt: null,
    plan: PLAN,
  };
}

export const PLAN: TaskRecord['plan'] = {
  workflow: { name: 'quick', description: 'one stage', stages: [{ name: 'do', agent: 'developer' }] },
  agents: {},
  validation: [],
  limits: {},
  timeoutMs: null,
  retryDelayMs: 0,
  baseRef: null,
  strict: false,
  cleanupOnComplete: true,
  preserveOnFailure: true,
  trust: null,
  land: null,
  publish: null,
};

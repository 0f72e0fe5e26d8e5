import { isCarrelError } from '../domain/error.js';
import type { EventType } from '../domain/event.js';
import { createId } from '../domain/id.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { BackendName, Workspace, WorkspaceRecord } from '../domain/workspace.js';
import { toWorkspace } from '../domain/workspace-state.js';
import type { Repository, ResolvedRequest } from '../workspace/backend.js';
import { chooseFolder } from '../workspace/folder.js';
import { claimPorts } from '../workspace/ports.js';
import type { Context } from './context.js';
import { endSetup } from './end-orphans.js';
import { journaled, type Progress } from './journaled.js';
import { prepareWorkspace } from './prepare-workspace.js';
import { inRepositoryLock } from './repository-lock.js';
import { rootOf } from './require-room.js';
import type { Settings } from './settings.js';
import { undoUp } from './undo-up.js';

/** All that was decided before anything is written. */
export interface CreationPlan extends ResolvedRequest {
  readonly kind: 'up' | 'restore';
  readonly name: string;
  readonly repository: Repository;
  readonly backendName: BackendName;
  readonly isolation: Workspace['isolation'];
  readonly settings: Settings;
  /** The user's own directory, for a workspace that gets no folder of ours. */
  readonly path: string | null;
  readonly from?: Snapshot | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Record, then make, then prepare, then ready; any failure takes everything back. */
export async function createWorkspace(context: Context, plan: CreationPlan): Promise<Workspace> {
  const id = createId('ws', context.ids);
  let recorded: WorkspaceRecord | undefined;
  let hasFiles = false;
  return journaled(
    context,
    {
      kind: plan.kind,
      workspaceId: id,
      repositoryId: plan.repository.id,
      places: [plan.repository.commonDir],
    },
    async progress => {
      recorded = await recordWorkspace(context, plan, id, progress.id);
      await progress.step('recorded');
      return make(context, plan, recorded, {
        ...progress,
        step: async step => {
          hasFiles ||= step === 'populated';
          await progress.step(step);
        },
      });
    },
    async () => {
      if (!recorded) return true;
      await endSetup(context, recorded);
      await undoUp(context, recorded, hasFiles);
      return true;
    },
  );
}

async function make(
  context: Context,
  plan: CreationPlan,
  draft: WorkspaceRecord,
  progress: Progress<'up'>,
): Promise<Workspace> {
  const record = { ...draft, ports: await claimPortsFor(context, plan, draft) };
  const created = await context.backends[record.backend].create(record, {
    onStep: progress.step,
    exclusively: action => inRepositoryLock(context, record, action),
    signal: plan.signal,
    from: plan.from,
  });
  const prepared = await prepareWorkspace(context, record, plan.settings, {
    signal: plan.signal,
    from: plan.from,
    progress,
  });
  plan.signal?.throwIfAborted();
  const warnings = [...record.warnings, ...created.warnings, ...prepared.warnings];
  const patch = {
    status: 'ready',
    operationId: null,
    ports: record.ports,
    included: prepared.included,
    warnings,
  } as const;
  const ready = await context.store.workspaces.update(record.id, 'creating', patch, [
    event('workspace.ready', record),
  ]);
  await progress.step('done');
  for (const warning of warnings) context.narrate(`warning: ${warning}`);
  return toWorkspace(ready as WorkspaceRecord);
}

/** Two names may lead to one folder at the same moment; whoever is second chooses another. */
async function recordWorkspace(
  context: Context,
  plan: CreationPlan,
  id: string,
  operationId: string,
): Promise<WorkspaceRecord> {
  for (let attempt = 1; ; attempt++) {
    const path = plan.path ?? (await choosePath(context, plan));
    const record = { ...describeWorkspace(context, plan, path), id, operationId };
    try {
      await context.store.workspaces.insert(record, [event('workspace.creating', record)]);
      return record;
    } catch (error) {
      const all = await context.store.workspaces.list({ repositoryId: plan.repository.id });
      const isNameTaken = all.some(other => other.name === plan.name);
      if (!isCarrelError(error, 'WORKSPACE_EXISTS') || isNameTaken || attempt === 5) throw error;
    }
  }
}

async function choosePath(context: Context, plan: CreationPlan): Promise<string> {
  const taken = new Set((await context.store.workspaces.list()).map(record => record.path.toLowerCase()));
  return chooseFolder({
    root: rootOf(context, plan.settings),
    project: plan.repository.name,
    name: plan.name,
    isTaken: path => taken.has(path.toLowerCase()),
  });
}

function describeWorkspace(
  context: Context,
  plan: CreationPlan,
  path: string,
): Omit<WorkspaceRecord, 'id' | 'operationId'> {
  const now = new Date(context.now()).toISOString();
  const { requested, effective, reason } = plan.isolation;
  return {
    name: plan.name,
    repository: plan.repository.root,
    backend: plan.backendName,
    runtime: 'host',
    isolation: plan.isolation,
    path,
    branch: plan.branch,
    base: plan.base,
    status: 'creating',
    ports: [],
    createdAt: now,
    lastActivityAt: now,
    warnings:
      requested === effective
        ? []
        : [`isolation ${requested} was asked for, this is ${effective}: ${reason}`],
    repositoryId: plan.repository.id,
    commonDir: plan.repository.commonDir,
    ownsBranch: plan.branch !== null,
    template: plan.settings.template,
    environment: plan.settings.environment,
    included: [],
  };
}

async function claimPortsFor(
  context: Context,
  plan: CreationPlan,
  record: WorkspaceRecord,
): Promise<number[]> {
  return claimPorts({
    range: plan.settings.ports,
    taken: await context.store.ports.list(),
    claim: first => context.store.ports.claim(first, record.id),
    random: context.ids.random,
  });
}

const event = (type: EventType, record: WorkspaceRecord) => ({
  type,
  repositoryId: record.repositoryId,
  workspaceId: record.id,
  data: { name: record.name, path: record.path, branch: record.branch },
});

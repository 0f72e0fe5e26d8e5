import { isCarrelError } from '../domain/error.js';
import type { EventType } from '../domain/event.js';
import { createId } from '../domain/id.js';
import type { JournalEntry } from '../domain/journal.js';
import type { Snapshot } from '../domain/snapshot.js';
import type { BackendName, Workspace, WorkspaceRecord } from '../domain/workspace.js';
import { toWorkspace } from '../domain/workspace-state.js';
import type { CreateResult, ReadyFiles, Repository, ResolvedRequest } from '../workspace/backend.js';
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
  /** Where commands run; anything but `host` only with `full`. */
  readonly runtime: WorkspaceRecord['runtime'];
  readonly warnings: readonly string[];
  readonly settings: Settings;
  /** The user's own directory, for a workspace that gets no folder of ours. */
  readonly path: string | null;
  /** Why the files do not come the way that the configuration asks for. */
  readonly filesObstacle?: string | undefined;
  readonly from?: Snapshot | undefined;
  /** Files that are there already. */
  readonly ready?: ReadyFiles | undefined;
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
      begin: async entry => {
        recorded = await recordWorkspace(context, plan, { ...entry, step: 'recorded' });
      },
    },
    async progress => {
      progress.pass('recorded');
      return make(context, plan, recorded as WorkspaceRecord, {
        ...progress,
        step: async step => {
          hasFiles ||= step === 'populated';
          // Recovery only asks whether the files are there.
          await (step === 'populated' ? progress.step(step) : progress.pass(step));
        },
      });
    },
    async () => {
      await endSetup(context, recorded as WorkspaceRecord);
      await undoUp(context, recorded as WorkspaceRecord, hasFiles);
      return true;
    },
  );
}

async function make(
  context: Context,
  plan: CreationPlan,
  record: WorkspaceRecord,
  progress: Progress<'up'>,
): Promise<Workspace> {
  const created = await context.backends[record.backend].create(record, {
    onStep: progress.step,
    exclusively: action => inRepositoryLock(context, record, action),
    signal: plan.signal,
    ready: plan.ready,
    checkoutOnly: plan.settings.files === 'checkout',
    from: plan.from,
    privateGitDir: record.sandbox && (await context.sandboxes()).placeOf(record.id).gitDir,
    privateHome: record.sandbox && (await context.sandboxes()).placeOf(record.id).home,
  });
  const inside = record.sandbox ? await (await context.sandboxes()).create(record) : [];
  const prepared = await prepareWorkspace(context, record, plan.settings, {
    signal: plan.signal,
    from: plan.from,
    progress,
  });
  plan.signal?.throwIfAborted();
  const warnings = [...record.warnings, ...created.warnings, ...inside, ...prepared.warnings];
  const patch = {
    status: 'ready',
    operationId: null,
    included: prepared.included,
    ...describePopulation(plan, created),
    warnings,
  } as const;
  const ready = await progress.finish(({ workspaces }) =>
    workspaces.update(record.id, 'creating', patch, [event('workspace.ready', record)]),
  );
  progress.pass('done');
  for (const warning of warnings) context.narrate(`warning: ${warning}`);
  return toWorkspace(ready as WorkspaceRecord);
}

function describePopulation(
  { filesObstacle }: CreationPlan,
  { population }: CreateResult,
): Pick<Workspace, 'population'> {
  if (!population) return {};
  return { population: { ...population, reason: filesObstacle ?? population.reason } };
}

/** Two names may lead to one folder at the same moment; whoever is second chooses another. */
async function recordWorkspace(
  context: Context,
  plan: CreationPlan,
  entry: JournalEntry,
): Promise<WorkspaceRecord> {
  for (let attempt = 1; ; attempt++) {
    const path = plan.path ?? (await choosePath(context, plan));
    const ids = { id: entry.workspaceId, operationId: entry.id };
    try {
      return await insertWithPorts(context, plan, entry, {
        ...describeWorkspace(context, plan, path),
        ...ids,
      });
    } catch (error) {
      const all = await context.store.workspaces.list({ repositoryId: plan.repository.id });
      const isNameTaken = all.some(other => other.name === plan.name);
      if (!isCarrelError(error, 'WORKSPACE_EXISTS') || isNameTaken || attempt === 5) throw error;
    }
  }
}

/** The record, its ports and the journal entry in one transaction: before anything else exists, all of it is known. */
async function insertWithPorts(
  context: Context,
  plan: CreationPlan,
  entry: JournalEntry,
  draft: WorkspaceRecord,
): Promise<WorkspaceRecord> {
  let record = draft;
  await claimPorts({
    range: plan.settings.ports,
    taken: await context.store.ports.list(),
    random: context.ids.random,
    claim: (first, ports) =>
      context.store.atomically(async tables => {
        if (!(await tables.ports.claim(first, draft.id))) return false;
        record = { ...draft, ports };
        await tables.workspaces.insert(record, [event('workspace.creating', record)]);
        await tables.journal.begin(entry);
        return true;
      }),
  });
  return record;
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
    runtime: plan.runtime,
    ...(effective === 'full' ? { sandbox: plan.settings.sandbox } : {}),
    isolation: plan.isolation,
    path,
    branch: plan.branch,
    base: plan.base,
    status: 'creating',
    ports: [],
    createdAt: now,
    lastActivityAt: now,
    warnings: [
      ...(requested === effective
        ? []
        : [`isolation ${requested} was asked for, this is ${effective}: ${reason}`]),
      ...plan.warnings,
    ],
    repositoryId: plan.repository.id,
    commonDir: plan.repository.commonDir,
    ownsBranch: plan.branch !== null,
    template: plan.settings.template,
    environment: plan.settings.environment,
    included: [],
  };
}

const event = (type: EventType, record: WorkspaceRecord) => ({
  type,
  repositoryId: record.repositoryId,
  workspaceId: record.id,
  data: { name: record.name, path: record.path, branch: record.branch },
});

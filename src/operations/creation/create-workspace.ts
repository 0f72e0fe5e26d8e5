import { chmod, lstat } from 'node:fs/promises';
import { carrelError, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import type { EventType } from '../../domain/event.js';
import { createId } from '../../domain/id.js';
import type { JournalEntry } from '../../domain/journal.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { isCustomBackend } from '../../domain/workspace/backend-name.js';
import type {
  BackendName,
  GroupPlace,
  Workspace,
  WorkspaceRecord,
} from '../../domain/workspace/workspace.js';
import { toWorkspace } from '../../domain/workspace/workspace-state.js';
import type { Tables } from '../../store/store.js';
import type {
  Backend,
  CreateHooks,
  CreateResult,
  ReadyFiles,
  Repository,
  ResolvedRequest,
} from '../../workspace/backend.js';
import { identifyFolder } from '../../workspace/location/folder-identity.js';
import { claimPorts } from '../../workspace/setup/ports.js';
import { takeSnapshot } from '../capture/take-snapshot.js';
import type { Context } from '../context.js';
import { journaled, type Progress, type TransactionPart } from '../guard/journaled.js';
import { inRepositoryLock } from '../repository/hold-repository-lock.js';
import { keepRecord } from '../repository/kept-record.js';
import { chooseLeftOut } from '../sandbox/choose-copy-exclusions.js';
import type { Settings } from '../settings/workspace-settings.js';
import { chooseWorkspacePath } from '../space/workspace-root.js';
import { type MakingProgress, prepareWorkspace } from './prepare-workspace.js';
import { stopSetupProcesses } from './stop-leftover-processes.js';
import { undoUp } from './undo-up.js';

/** What a task has reserved: its workspace is created exactly there. In its other repositories it has reserved no path. */
export interface ReservedPlace {
  readonly taskId: string;
  readonly path?: string | undefined;
}

/** Everything decided before anything is written. */
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
  /** The user's own directory, for a workspace that gets no folder from us. */
  readonly path: string | null;
  /** The task that it is created for, which has reserved its name and path. */
  readonly reserved?: ReservedPlace | undefined;
  /** Why the files are not created in the configured way. */
  readonly filesObstacle?: string | undefined;
  readonly from?: Snapshot | undefined;
  /** Files that are there already. */
  readonly ready?: ReadyFiles | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of a workspace with several repositories, this part of it. */
  readonly part?: GroupPart | undefined;
}

/** A part of a workspace with several repositories. */
export interface GroupPart {
  /** Of this part; known to the others before it is created. */
  readonly id: string;
  readonly group: GroupPlace;
  /** Called when it is complete except for its status: returns when all parts have become ready, in one transaction. */
  readonly becomeReady: (own: TransactionPart) => Promise<void>;
}

/** Record, create, prepare, ready; any failure undoes everything. */
export async function createWorkspace(context: Context, plan: CreationPlan): Promise<Workspace> {
  const id = plan.part?.id ?? createId('ws', context.ids);
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
      await stopSetupProcesses(context, recorded as WorkspaceRecord);
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
  const made = await makeFiles(context, record, plan, progress);
  plan.signal?.throwIfAborted();
  const patch = { status: 'ready', operationId: null, ...made } as const;
  const ready = { ...record, ...patch };
  await keepRecord(context, ready);
  const update = async ({ workspaces }: Tables) => {
    await workspaces.update(record.id, 'creating', patch, [event('workspace.ready', record)]);
  };
  await (plan.part ? plan.part.becomeReady(joinParts(update, progress)) : progress.finish(update));
  progress.pass('done');
  for (const warning of made.warnings) context.narrate(`warning: ${warning}`);
  return toWorkspace(ready);
}

const joinParts = (
  update: TransactionPart['change'],
  { ending }: Pick<Progress<'up'>, 'ending'>,
): TransactionPart => ({
  ...ending,
  change: async tables => {
    await update(tables);
    await ending.change(tables);
  },
});

/** How the files of a recorded workspace are made. */
export interface FilesPlan
  extends Pick<CreationPlan, 'settings' | 'filesObstacle' | 'from' | 'ready' | 'signal'>,
    Pick<CreateHooks, 'startsAt'> {
  /** For the commands of the setup, where the rest is not interrupted. */
  readonly setupSignal?: AbortSignal | undefined;
}

/** The files, the sandbox and the setup of a recorded workspace. Returns what its record says about them. */
export async function makeFiles(
  context: Context,
  record: WorkspaceRecord,
  plan: FilesPlan,
  progress: MakingProgress,
): Promise<Pick<WorkspaceRecord, 'included' | 'population' | 'warnings' | 'folder'>> {
  const copying = isCopiedIntoSandbox(plan, record)
    ? await chooseLeftOut(context, record, plan.settings.sandboxInclude)
    : undefined;
  const backend = context.backends.of(record.backend);
  requireSandboxable(record, backend);
  const created = await backend.create(record, {
    leaveOut: copying?.leaveOut,
    startsAt: plan.startsAt,
    onStep: async step => {
      await progress.step(step);
      // A snapshot of missing files has no permissions, so the restored directory stays private.
      if (plan.from && step === 'registered') await makePrivate(context, record).catch(ignoreMissing);
    },
    exclusively: action => inRepositoryLock(context, record, action),
    signal: plan.signal,
    ready: plan.ready,
    checkoutOnly: plan.settings.files === 'checkout',
    from: plan.from,
    privateGitDir: record.sandbox && (await context.sandboxes()).placeOf(record.id).gitDir,
    privateHome: record.sandbox && (await context.sandboxes()).placeOf(record.id).home,
  });
  // Restored files keep their permissions.
  if (!plan.from) await makePrivate(context, record);
  const inside = record.sandbox ? await (await context.sandboxes()).create(record) : [];
  const saved = await saveBeforeUse(context, record);
  const prepared = await prepareWorkspace(context, record, plan.settings, {
    signal: plan.setupSignal ?? plan.signal,
    from: plan.from,
    progress,
  });
  const copied = copying?.warnings() ?? [];
  const found = [
    ...record.warnings,
    ...created.warnings,
    ...copied,
    ...inside,
    ...saved,
    ...prepared.warnings,
  ];
  return {
    included: prepared.included,
    ...describePopulation(plan, created),
    warnings: [...new Set(found)],
    ...(await describeFolder(context, record)),
  };
}

/** A directory of the user that commands in a sandbox will write: as it was before. Returns warnings. */
async function saveBeforeUse(context: Context, record: WorkspaceRecord): Promise<string[]> {
  if (context.backends.of(record.backend).ownsFiles || !record.sandbox) return [];
  if (record.commonDir === null)
    return [`${record.path} has no git, so there is no snapshot of it as it was`];
  const request = { id: createId('snap', context.ids), reason: 'up', message: null } as const;
  await takeSnapshot(context, record, { ...request, onCaptured: async () => {} });
  return [];
}

/** A sandbox has a private git for a worktree, and none for a plain copy; a user's backend may make neither. */
function requireSandboxable(record: WorkspaceRecord, backend: Backend): void {
  if (!record.sandbox || !isCustomBackend(record.backend) || record.commonDir === null) return;
  if (backend.workTree(record) === null)
    throw carrelError('NOT_SUPPORTED', { what: 'run in a sandbox', backend: record.backend });
}

const isCopiedIntoSandbox = ({ from, startsAt }: FilesPlan, { backend, sandbox }: WorkspaceRecord): boolean =>
  (backend === 'directory' || isCustomBackend(backend)) &&
  Boolean(sandbox) &&
  from === undefined &&
  startsAt === undefined;

/** Other users of the machine see nothing of it, unless a container runs as one of them. */
export async function makePrivate(
  { backends }: Pick<Context, 'backends'>,
  { backend, path, sandbox }: WorkspaceRecord,
): Promise<void> {
  if (!backends.of(backend).ownsFiles || (sandbox && sandbox.user !== null)) return;
  await chmod(path, 0o700);
}

async function describeFolder(
  { backends }: Pick<Context, 'backends'>,
  { backend, path }: WorkspaceRecord,
): Promise<Pick<WorkspaceRecord, 'folder'>> {
  const folder = backends.of(backend).ownsFiles ? await identifyFolder(path) : undefined;
  return folder === undefined ? {} : { folder };
}

function describePopulation(
  { filesObstacle }: FilesPlan,
  { population }: CreateResult,
): Pick<Workspace, 'population'> {
  if (!population) return {};
  return { population: { ...population, reason: filesObstacle ?? population.reason } };
}

/** Two names may map to one folder at the same moment; the second one chooses another. */
async function recordWorkspace(
  context: Pick<Context, 'store' | 'ids' | 'now' | 'places'>,
  plan: CreationPlan,
  entry: JournalEntry,
): Promise<WorkspaceRecord> {
  for (let attempt = 1; ; attempt++) {
    const path = plan.path ?? (await requireReserved(plan)) ?? (await chooseWorkspacePath(context, plan));
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

/** The record, its ports and the journal entry in one transaction: everything is recorded before anything else exists. */
async function insertWithPorts(
  context: Pick<Context, 'store' | 'ids'>,
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

/** The path that the task was promised. PATH_EXISTS when something else is there by now. */
async function requireReserved({ reserved }: CreationPlan): Promise<string | undefined> {
  const path = reserved?.path;
  if (path === undefined || !(await lstat(path).catch(ignoreMissing))) return path;
  throw carrelError('PATH_EXISTS', { path });
}

function describeWorkspace(
  context: Pick<Context, 'now'>,
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
        : [`isolation ${requested} was requested, using ${effective} instead: ${reason}`]),
      ...plan.warnings,
    ],
    ...(plan.reserved && { taskId: plan.reserved.taskId }),
    ...(plan.part && { group: plan.part.group }),
    repositoryId: plan.repository.id,
    commonDir: plan.repository.commonDir,
    ownsBranch: plan.branch !== null && !plan.isOpened,
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

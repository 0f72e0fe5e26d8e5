import { realpath } from 'node:fs/promises';
import { allInOrder } from '../../domain/all-in-order.js';
import { carrelError } from '../../domain/error/error.js';
import type { IsolationAsker } from '../../domain/isolation/decide-isolation.js';
import type { WorkspaceStrategy } from '../../domain/isolation/workspace-config.js';
import type { IsolationMode } from '../../domain/isolation.js';
import { requireName } from '../../domain/name.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import { isCustomBackend } from '../../domain/workspace/backend-name.js';
import type { GroupRepositories } from '../../domain/workspace/group-repositories.js';
import type { BackendName, Workspace } from '../../domain/workspace/workspace.js';
import type { Repository } from '../../workspace/backend.js';
import { resolveRoot } from '../../workspace/location/choose-folder.js';
import type { Context } from '../context.js';
import { refillSpares, takeSpare } from '../pool/spare-workspace.js';
import { detectBackend } from '../repository/locate-repository.js';
import { namedByCaller, openBackend } from '../repository/open-backend.js';
import { findDirectoryObstacle } from '../sandbox/find-directory-obstacle.js';
import type { IsolationRequest, ResolvedIsolation } from '../settings/resolve-isolation.js';
import { applyTemplate, type Settings } from '../settings/workspace-settings.js';
import { requireRoomFor } from '../space/require-capacity.js';
import { workspaceRootOf } from '../space/workspace-root.js';
import type { ConfiguredBackend } from '../trust/backend-trust.js';
import { requireTrust } from '../trust/trust.js';
import { requireFreeName } from '../workspace/find-workspace.js';
import { type CreationPlan, createWorkspace, type ReservedPlace } from './create-workspace.js';

/** How a new workspace is made: name, branch, base, isolation mode and template. */
export interface UpInput {
  /** A directory in the repository. */
  readonly repository: string;
  readonly name?: string | undefined;
  /** Other sources of the workspace: a directory in place, a repository, a plain copy. */
  readonly form?:
    | { readonly kind: 'direct' | 'auto' | 'git' | 'copy'; readonly directory: string }
    | undefined;
  /** A registered backend or the path of a module, instead of the configured one. */
  readonly backend?: string | undefined;
  readonly branch?: string | undefined;
  readonly base?: string | undefined;
  readonly isolation?: IsolationMode | undefined;
  /** Who chose `isolation`; the caller by default, as by a flag. */
  readonly askedBy?: IsolationAsker | undefined;
  /** With `isolation`: a plain copy instead of a worktree, or a container rather than another sandbox. */
  readonly strategy?: WorkspaceStrategy | undefined;
  /** Refuse instead of falling back to less isolation. */
  readonly strict?: boolean | undefined;
  readonly template?: string | undefined;
  readonly setup?: boolean | undefined;
  /** Run the repository's setup commands without a recorded approval: all of them, or only those with this digest. */
  readonly trust?: boolean | string | undefined;
  /** The commit that a task started from, when the base is its own agents' work: that commit's setup was approved. */
  readonly ownWorkOf?: string | undefined;
  /** What agents need in a sandbox besides what the configuration says; on the caller's responsibility. */
  readonly sandbox?: Pick<SandboxSettings, 'allow'> | undefined;
  /** Other repositories that get a workspace of the same name and branch; the template's when left out. */
  readonly repositories?: GroupRepositories | undefined;
  /** Instead of `repositories`: those of a task, which were approved with it. */
  readonly parts?: readonly PartInput[] | undefined;
  /** Where the workspace of a task is created. */
  readonly reserved?: ReservedPlace | undefined;
  /** May refuse another repository, before anything is created in it. */
  readonly check?: ((found: { readonly repository: string }) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Another repository of the workspace of a task. */
export interface PartInput extends Pick<UpInput, 'base' | 'ownWorkOf' | 'trust'> {
  readonly alias: string;
  /** Absolute. */
  readonly path: string;
}

/** A request whose name is free, with the settings that it means. */
export interface UpRequest {
  readonly input: PlannedInput;
  readonly target: Target;
  readonly settings: Settings;
  /** For the isolation mode. */
  readonly isolation: IsolationRequest;
}

/** One request, or one of those that a workspace with several repositories consists of. */
export interface PlannedInput extends UpInput {
  readonly name: string;
  /** The name of the branch to create, instead of the configured prefix and the name. */
  readonly newBranch?: string | undefined;
}

/** Locates the repository and reads its settings. WORKSPACE_EXISTS */
export async function readRequest(context: Context, input: PlannedInput): Promise<UpRequest> {
  const name = requireName(input.name);
  const found = await backendOf(input);
  const repository = await context.backends.of(found).locate(input.form?.directory ?? input.repository);
  await requireFreeName(context, repository, name);
  const configured = withNeeds(await applyTemplate(context, repository, input.template), input);
  const settings = input.setup === false ? withoutSetup(configured) : configured;
  const strategy = input.isolation === undefined ? configured.isolation.strategy : input.strategy;
  const isCopy = strategy === 'directory' && input.form === undefined;
  const custom = isCopy ? null : chooseCustomBackend(context, input, settings);
  const asked = isCopy ? 'directory' : (custom?.name ?? found);
  const target = {
    name,
    asked,
    repository: custom
      ? await openBackend(context, custom, repository)
      : isCopy
        ? withoutGit(repository)
        : repository,
  };
  const obstacle =
    input.form?.kind === 'direct' && (input.isolation ?? settings.isolation.mode) === 'full'
      ? await findDirectoryObstacle(context, await realpath(input.form.directory), settings.sandbox)
      : undefined;
  const { isolation, askedBy, strict } = input;
  const prefersContainer = input.strategy === 'container';
  return { input, target, settings, isolation: { isolation, askedBy, strict, prefersContainer, obstacle } };
}

/** The caller's, or the configured one. Named forms and the user's own checkout have their own backends. */
function chooseCustomBackend(
  context: Pick<Context, 'cwd'>,
  input: UpInput,
  settings: Settings,
): ConfiguredBackend | null {
  if (input.backend !== undefined) return namedByCaller(context, input.backend);
  const isNamed = input.form !== undefined && input.form.kind !== 'auto';
  const mode = input.isolation ?? settings.isolation.mode;
  return isNamed || mode === 'shared' ? null : settings.backend;
}

/** A plain copy belongs to the repository and has no git. */
const withoutGit = (repository: Repository): Repository => ({
  ...repository,
  commonDir: null,
  linkedWorktree: null,
});

interface Target {
  readonly name: string;
  /** The backend of what the workspace is made from. */
  readonly asked: BackendName;
  readonly repository: Repository;
}

/** Everything about the new workspace, checked; nothing is written yet. */
export async function planUp(
  context: Context,
  { input, target: { name, asked, repository }, settings: configured }: UpRequest,
  { isolation, runtime, warnings, sandbox }: ResolvedIsolation,
): Promise<CreationPlan> {
  const given = { ...configured, sandbox };
  const backendName = backendFor(isolation.effective, asked, given);
  const settings = backendName === 'direct' ? withoutSetup(given) : given;
  const path = await ownPathOf(backendName, repository, input);
  const refuseBranch = () =>
    carrelError('NOT_SUPPORTED', { what: 'have its own branch', backend: backendName });
  const mayHaveBranch =
    hasBranches(backendName) ||
    isCustomBackend(backendName) ||
    (isolation.effective === 'full' && isTopOfCheckout(repository, path));
  if (input.branch !== undefined && !mayHaveBranch) throw refuseBranch();
  const branch = mayHaveBranch
    ? (input.branch ?? input.newBranch ?? `${settings.branchPrefix}${name}`)
    : undefined;
  // Errors name the base as the caller wrote it.
  const resolving = context.backends
    .of(backendName === 'git' ? asked : backendName)
    .resolve(repository, { base: input.base, branch, mayExist: input.branch !== undefined })
    // If the branch exists because another process has just created the same workspace, report that.
    .catch(async error => {
      await requireFreeName(context, repository, name);
      throw error;
    });
  const [resolved] = await allInOrder([resolving, requireRoomFor(context, repository, settings)]);
  if (input.branch !== undefined && resolved.branch !== input.branch) throw refuseBranch();
  if (resolved.isOpened) await requireUnusedBranch(context, repository, resolved.branch as string);
  const { warning } = input.isolation === undefined ? settings.isolation : {};
  const place = {
    ref: input.base,
    commit: input.ownWorkOf ?? resolved.base.commit,
    isSandboxed: isolation.effective === 'full',
    isOwnWork: input.ownWorkOf !== undefined,
  };
  await requireTrust(context, repository, settings, place, input.trust);
  const files = await chooseFiles(context, settings, backendName, repository);
  return {
    kind: 'up',
    name,
    repository,
    ...files,
    isolation,
    runtime,
    warnings: [
      ...warnings,
      ...(warning === undefined ? [] : [warning]),
      ...(isolation.effective === 'full' && settings.missingKey !== null ? [settings.missingKey] : []),
    ],
    ...resolved,
    settings,
    path,
    reserved: input.reserved,
    signal: input.signal,
  };
}

/** Record, create, prepare, ready. */
export const createPlanned = (context: Context, plan: CreationPlan): Promise<Workspace> =>
  plan.backendName === 'git' ? createFromSpare(context, plan) : createWorkspace(context, plan);

/** A jj bookmark has no worktree that holds it. */
async function requireUnusedBranch(
  { store }: Pick<Context, 'store'>,
  repository: Repository,
  branch: string,
): Promise<void> {
  const records = await store.workspaces.list({ repositoryId: repository.id });
  const user = records.find(record => record.branch === branch);
  if (user) throw carrelError('BRANCH_CHECKED_OUT', { branch, path: user.path });
}

/** From a warm workspace if there is one; the next one is then created in the background. */
async function createFromSpare(context: Context, plan: CreationPlan): Promise<Workspace> {
  const { repository, settings } = plan;
  const ready = await takeSpare(context, repository, settings, plan.base.commit as string);
  try {
    return await createWorkspace(context, { ...plan, ready });
  } finally {
    await refillSpares(context, repository, settings, ready);
  }
}

/** Sharing files only affects speed: if not available they are checked out, and `show` says why. */
async function chooseFiles(
  context: Pick<Context, 'backends' | 'places'>,
  settings: Settings,
  backendName: BackendName,
  repository: Repository,
): Promise<{ backendName: BackendName; filesObstacle?: string }> {
  if (settings.files !== 'overlay' || backendName !== 'git') return { backendName };
  const root = await resolveRoot(workspaceRootOf(context, settings));
  const filesObstacle = await context.backends.overlay.findObstacle?.(repository, root);
  return filesObstacle ? { backendName, filesObstacle } : { backendName: 'overlay' };
}

/** A jj workspace shares everything that jj has; for a sandbox with a private git the files are a git worktree. */
function backendFor(effective: IsolationMode, asked: BackendName, { sandbox }: Settings): BackendName {
  if (effective === 'shared' && hasBranches(asked)) return 'direct';
  return effective === 'full' && asked === 'jj' && sandbox.git === 'private' ? 'git' : asked;
}

function withNeeds(settings: Settings, { sandbox: needs }: UpInput): Settings {
  const allow = [...new Set([...settings.sandbox.allow, ...(needs?.allow ?? [])])];
  const sandbox = { ...settings.sandbox, allow };
  return { ...settings, sandbox };
}

const withoutSetup = (settings: Settings): Settings => ({ ...settings, setup: [], install: 'off' });

/** Of a directory in place: only there git works inside a sandbox, whose commits need a branch. */
const isTopOfCheckout = ({ commonDir, root, linkedWorktree }: Repository, path: string | null): boolean =>
  commonDir !== null && path !== null && path === (linkedWorktree ?? root);

/** Backends with commits give a workspace its own branch: a bookmark, in jj. */
const hasBranches = (backend: BackendName): boolean => backend === 'git' || backend === 'jj';

async function backendOf(input: UpInput): Promise<BackendName> {
  switch (input.form?.kind) {
    case 'direct':
      return 'direct';
    case 'copy':
      return 'directory';
    case 'git':
      return 'git';
    default:
      return detectBackend(input.form?.directory ?? input.repository);
  }
}

/** A direct workspace is the user's own directory; the others get a folder from us. */
async function ownPathOf(
  backend: BackendName,
  repository: Repository,
  input: UpInput,
): Promise<string | null> {
  if (backend !== 'direct') return null;
  const directory = input.form?.kind === 'direct' ? input.form.directory : repository.root;
  if (!directory) throw carrelError('NO_SUCH_DIRECTORY', { path: input.repository });
  return realpath(directory);
}

import { realpath } from 'node:fs/promises';
import { allInOrder } from '../domain/all-in-order.js';
import { carrelError } from '../domain/error.js';
import type { IsolationMode } from '../domain/isolation.js';
import { generateName, requireName } from '../domain/name.js';
import type { SandboxSettings } from '../domain/sandbox.js';
import type { BackendName, Workspace } from '../domain/workspace.js';
import type { Repository } from '../workspace/backend.js';
import { resolveRoot } from '../workspace/folder.js';
import type { Context } from './context.js';
import { type CreationPlan, createWorkspace } from './create-workspace.js';
import { requireFreeName } from './find.js';
import { detectBackend } from './locate-repository.js';
import { requireRoomFor, rootOf } from './require-room.js';
import { resolveIsolation } from './resolve-isolation.js';
import { applyTemplate, type Settings } from './settings.js';
import { refillSpares, takeSpare } from './spare-desk.js';
import { requireTrust } from './trust.js';

export interface UpInput {
  /** A directory in the repository. */
  readonly repository: string;
  readonly name?: string | undefined;
  /** The other ways to say what the workspace is made of: a directory as it is, a repository, a plain copy. */
  readonly form?:
    | { readonly kind: 'direct' | 'auto' | 'git' | 'copy'; readonly directory: string }
    | undefined;
  readonly branch?: string | undefined;
  readonly base?: string | undefined;
  readonly isolation?: IsolationMode | undefined;
  /** Refuse instead of falling back to less isolation. */
  readonly strict?: boolean | undefined;
  readonly template?: string | undefined;
  readonly setup?: boolean | undefined;
  /** Run the repository's setup commands without an approval on record: whatever they are, or those of this digest. */
  readonly trust?: boolean | string | undefined;
  /** What agents need in a sandbox besides what the configuration says; the caller answers for it. */
  readonly sandbox?: Pick<SandboxSettings, 'allow'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a workspace. Everything that can be known to be wrong is said before anything is written. */
export async function up(context: Context, input: UpInput): Promise<Workspace> {
  const name = requireName(input.name ?? generateName(context.ids));
  const asked = await backendOf(input);
  const repository = await context.backends[asked].locate(input.form?.directory ?? input.repository);
  await requireFreeName(context, repository, name);
  const configured = withNeeds(await applyTemplate(context, repository, input.template), input);
  const settings = input.setup === false || asked === 'direct' ? withoutSetup(configured) : configured;
  const { isolation, runtime, warnings } = await resolveIsolation(context, input, settings, asked);
  const backendName = backendFor(isolation.effective, asked, settings);
  if (input.branch !== undefined && !hasBranches(backendName)) {
    throw carrelError('NOT_SUPPORTED', { what: 'have a branch of its own', backend: backendName });
  }
  const branch = hasBranches(backendName) ? (input.branch ?? `${settings.branchPrefix}${name}`) : undefined;
  // What a base is called is said in the words of whoever asks.
  const resolving = context.backends[backendName === 'git' ? asked : backendName]
    .resolve(repository, { base: input.base, branch })
    // When the branch is there because somebody made the same workspace at this very moment, that is what to say.
    .catch(async error => {
      await requireFreeName(context, repository, name);
      throw error;
    });
  const [resolved] = await allInOrder([
    resolving,
    requireTrust(context, repository, settings, input.trust),
    requireRoomFor(context, repository, settings),
  ]);
  const files = await chooseFiles(context, settings, backendName, repository);
  const plan = {
    kind: 'up',
    name,
    repository,
    ...files,
    isolation,
    runtime,
    warnings,
    ...resolved,
    settings,
    path: await ownPathOf(backendName, repository, input),
    signal: input.signal,
  } as const;
  return plan.backendName === 'git' ? createFromSpare(context, plan) : createWorkspace(context, plan);
}

/** From a warm workspace when there is one; the next one is then made in the background. */
async function createFromSpare(context: Context, plan: CreationPlan): Promise<Workspace> {
  const { repository, settings } = plan;
  const ready = await takeSpare(context, repository, settings, plan.base.commit as string);
  try {
    return await createWorkspace(context, { ...plan, ready });
  } finally {
    await refillSpares(context, repository, settings, ready);
  }
}

/** Sharing the files is about speed: where it can't be had they are checked out, and `show` tells why. */
async function chooseFiles(
  context: Context,
  settings: Settings,
  backendName: BackendName,
  repository: Repository,
): Promise<{ backendName: BackendName; filesObstacle?: string }> {
  if (settings.files !== 'overlay' || backendName !== 'git') return { backendName };
  const root = await resolveRoot(rootOf(context, settings));
  const filesObstacle = await context.backends.overlay.findObstacle?.(repository, root);
  return filesObstacle ? { backendName, filesObstacle } : { backendName: 'overlay' };
}

/** A jj workspace shares all that jj has; for a sandbox with a git of its own the files are a git worktree. */
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

/** Those that work with commits give a workspace a branch of its own: a bookmark, in jj. */
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

/** A direct workspace is a directory of the user's own; the others get a folder of ours. */
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

import { carrelError } from '../../domain/error/error.js';
import type { EventType } from '../../domain/event.js';
import type { TrustReport } from '../../domain/report/result.js';
import type { TrustGrant } from '../../store/store.js';
import type { Repository } from '../../workspace/backend.js';
import { trustDigest } from '../../workspace/setup/setup-commands.js';
import type { Context } from '../context.js';
import { detectBackend, locateRepository } from '../repository/locate-repository.js';
import { listRepositoryIncludes } from '../settings/included-patterns.js';
import { listRepositoryRepositories } from '../settings/template-repositories.js';
import { listRepositoryCommands, type Settings } from '../settings/workspace-settings.js';
import { backendDigest, listRepositoryBackend } from './backend-trust.js';
import { type CommandFiles, pinCommands, withoutPins } from './pin-commands.js';
import { isUnlanded } from './unlanded-base.js';

// Five kinds of grants: one for the setup commands, which covers all of them in their order, because they run one after
// the other in every new workspace; one for what comes into sandboxes; one for other repositories; one for the
// backend, see backend-trust.ts; and one for the lines of task-commands.ts, of which a
// task needs those that it runs.

export interface TrustInput {
  readonly repository: string;
}

/** What the repository would run and what of it the user has approved. */
export async function reportTrust(context: Context, input: TrustInput): Promise<TrustReport> {
  const repository = await locateRepository(context, input.repository);
  return describeTrust(context, repository, 0);
}

export interface GrantInput extends TrustInput {
  /** What the user was shown. When the repository's commands have changed since, nothing is approved. */
  readonly commands: readonly string[];
}

/** Approves the commands exactly as the user saw them. */
export async function grantTrust(context: Context, input: GrantInput): Promise<TrustReport> {
  const repository = await locateRepository(context, input.repository);
  const { setup, include, repositories, backend, tasks } = await listCommands(context, repository);
  const commands = [...setup, ...include, ...repositories, ...backend, ...tasks];
  if (trustDigest(commands) !== trustDigest(input.commands))
    throw carrelError('SETUP_NOT_TRUSTED', { repository: repository.root, commands });
  if (setup.length > 0) await grant(context, repository, setup, trustDigest(setup));
  if (include.length > 0) await grant(context, repository, include, includeDigest(include));
  if (repositories.length > 0)
    await grant(context, repository, repositories, repositoriesDigest(repositories));
  if (backend.length > 0) await grant(context, repository, backend, backendDigest(backend));
  if (tasks.length > 0) await grant(context, repository, tasks, taskDigest(tasks));
  return describeTrust(context, repository, 0);
}

async function grant(
  context: Pick<Context, 'store' | 'now'>,
  repository: Repository,
  commands: readonly string[],
  digest: string,
): Promise<void> {
  const grantedAt = new Date(context.now()).toISOString();
  await context.store.trust.grant(
    { repositoryId: repository.id, repository: repository.root, digest, commands, grantedAt },
    [event('trust.granted', repository, commands)],
  );
}

export async function revokeTrust(context: Context, input: TrustInput): Promise<TrustReport> {
  const repository = await locateRepository(context, input.repository);
  const revoked = await context.store.trust.revoke(repository.id, [event('trust.revoked', repository, [])]);
  return describeTrust(context, repository, revoked);
}

/** What is about to be set up, and where. */
export interface SetupPlace {
  /** What the caller named; undefined for where the user's checkout is. */
  readonly ref: string | undefined;
  /** What setup commands will find; null for a plain copy. */
  readonly commit: string | null;
  /** Inside a sandbox, changed content of the named files is harmless. */
  readonly isSandboxed: boolean;
  /** The base is work of the same task, whose agents already run on this machine. */
  readonly isOwnWork?: boolean | undefined;
}

/**
 * SETUP_NOT_TRUSTED when commands from the repository are about to run that are not approved as written, with the content of the files that
 * they name. BASE_NOT_LANDED when unlanded work of agents would run outside a sandbox. The caller may approve both once: anything, or only
 * what has the digest of describeSetup.
 */
export async function requireTrust(
  context: Pick<Context, 'store' | 'git'>,
  repository: Repository,
  settings: Settings,
  place: SetupPlace,
  approved: boolean | string = false,
): Promise<void> {
  const willRun = settings.setup.length > 0 || settings.install === 'auto';
  if (!willRun || approved === true) return;
  const { commands, base } = await describeSetup(context, repository, settings, place);
  if (approved === digestOf({ commands, base })) return;
  if (commands.length > 0 && !(await isSetUpTrusted(context, repository, commands, place)))
    throw carrelError('SETUP_NOT_TRUSTED', { repository: repository.root, commands });
  if (base === null) return;
  const running = settings.setup.length > 0 ? settings.setup : ['install: auto'];
  throw carrelError('BASE_NOT_LANDED', { base, commands: running });
}

interface SetupDescription {
  /** Of the repository, with the content of the files that they name. */
  readonly commands: readonly string[];
  /** Unlanded work of agents that would be set up outside of a sandbox. */
  readonly base: string | null;
}

async function describeSetup(
  context: Pick<Context, 'store' | 'git'>,
  repository: Repository,
  settings: Settings,
  place: SetupPlace,
): Promise<SetupDescription> {
  const { ref, commit, isSandboxed, isOwnWork = false } = place;
  const { branchPrefix, repositoryCommands } = settings;
  const isAsked =
    !isSandboxed && !isOwnWork && (await isUnlanded(context, { repository, ref, commit, branchPrefix }));
  return {
    commands: await pinCommands(repositoryCommands, filesOf(context, repository, commit)),
    base: isAsked ? `${ref} (${commit})` : null,
  };
}

/** Identifies exactly this setup, for a one-time approval. */
export const digestSetup = async (
  context: Pick<Context, 'store' | 'git'>,
  repository: Repository,
  settings: Settings,
  place: SetupPlace,
): Promise<string> => digestOf(await describeSetup(context, repository, settings, place));

const digestOf = ({ commands, base }: SetupDescription): string =>
  trustDigest(base === null ? commands : [...commands, base]);

async function isSetUpTrusted(
  context: Pick<Context, 'store'>,
  repository: Repository,
  commands: readonly string[],
  { isSandboxed }: SetupPlace,
): Promise<boolean> {
  if (await context.store.trust.find(repository.id, trustDigest(commands))) return true;
  if (!isSandboxed) return false;
  const text = trustDigest(commands.map(withoutPins));
  const grants = await context.store.trust.list(repository.id);
  return grants.some(
    grant =>
      grant.digest === trustDigest(grant.commands) && trustDigest(grant.commands.map(withoutPins)) === text,
  );
}

const filesOf = (
  { git }: Pick<Context, 'git'>,
  { commonDir, root }: Repository,
  commit: string | null,
): CommandFiles =>
  commit === null || commonDir === null
    ? { kind: 'directory', path: root }
    : { kind: 'commit', git, gitDir: commonDir, commit };

/** The lines of task-commands.ts with the content of the files that they name. */
export const pinTaskCommands = (
  context: Pick<Context, 'git'>,
  repository: Repository,
  lines: readonly string[],
  commit: string | null,
): Promise<string[]> => pinCommands(lines, commit === null ? null : filesOf(context, repository, commit));

/** The base's current commit; null when it can't be resolved, which `up` will report. */
export async function findBaseCommit(
  context: Pick<Context, 'backends'>,
  repository: Repository,
  base: string | undefined,
): Promise<string | null> {
  const backend = context.backends.of(await detectBackend(repository.root));
  const resolved = await backend.resolve(repository, { base }).catch(() => undefined);
  return resolved?.base.commit ?? null;
}

/** TASK_COMMANDS_NOT_TRUSTED unless the user has approved all of these lines of task-commands.ts together. */
export async function requireTaskTrust(
  context: Pick<Context, 'store'>,
  repository: Repository,
  lines: readonly string[],
): Promise<void> {
  if (await isTaskTrusted(context, repository, lines)) return;
  throw carrelError('TASK_COMMANDS_NOT_TRUSTED', { repository: repository.root, commands: lines });
}

export const isTaskTrusted = async (
  context: Pick<Context, 'store'>,
  repository: Repository,
  lines: readonly string[],
): Promise<boolean> => areTrusted(lines, await context.store.trust.list(repository.id));

/** Differs from that of setup commands: an approval of one must not count for the other. */
const taskDigest = (lines: readonly string[]): string => trustDigest(['carrel task commands', ...lines]);

/** What the repository wants to copy into sandboxes. */
const includeDigest = (lines: readonly string[]): string => trustDigest(['carrel include', ...lines]);

/** The lines of included-patterns.ts that the user has approved. */
export const findTrustedIncludes = (
  context: Pick<Context, 'store'>,
  repositoryId: string,
): Promise<ReadonlySet<string>> => findTrustedLines(context, repositoryId, includeDigest);

const repositoriesDigest = (lines: readonly string[]): string =>
  trustDigest(['carrel repositories', ...lines]);

/** REPOSITORIES_NOT_TRUSTED unless the user has approved each of these lines of template-repositories.ts. */
export async function requireRepositoriesTrust(
  context: Pick<Context, 'store'>,
  repository: Repository,
  lines: readonly string[],
): Promise<void> {
  const trusted = await findTrustedLines(context, repository.id, repositoriesDigest);
  if (!lines.every(line => trusted.has(line)))
    throw carrelError('REPOSITORIES_NOT_TRUSTED', { repository: repository.root, commands: lines });
}

async function findTrustedLines(
  { store }: Pick<Context, 'store'>,
  repositoryId: string,
  digestOfKind: (lines: readonly string[]) => string,
): Promise<ReadonlySet<string>> {
  const grants = await store.trust.list(repositoryId);
  const ofKind = grants.filter(({ digest, commands }) => digest === digestOfKind(commands));
  return new Set(ofKind.flatMap(({ commands }) => commands));
}

function areTrusted(lines: readonly string[], grants: readonly TrustGrant[]): boolean {
  const ofTasks = grants.filter(({ digest, commands }) => digest === taskDigest(commands));
  return lines.length === 0 || ofTasks.some(({ commands }) => lines.every(line => commands.includes(line)));
}

async function describeTrust(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'loadConfig'>,
  repository: Repository,
  revoked: number,
): Promise<TrustReport> {
  const { setup, include, repositories, backend, tasks } = await listCommands(context, repository);
  const included = await findTrustedIncludes(context, repository.id);
  const joined = await findTrustedLines(context, repository.id, repositoriesDigest);
  const grants = await context.store.trust.list(repository.id);
  const isGranted = (lines: readonly string[], wanted: string) =>
    lines.length === 0 || grants.some(({ digest }) => digest === wanted);
  const isSetUp = isGranted(setup, trustDigest(setup)) && isGranted(backend, backendDigest(backend));
  const isJoined = include.every(line => included.has(line)) && repositories.every(line => joined.has(line));
  return {
    repository: repository.root,
    commands: [...setup, ...include, ...repositories, ...backend, ...tasks],
    trusted: isSetUp && isJoined && areTrusted(tasks, grants),
    grants: grants.map(({ commands, grantedAt }) => ({ commands: [...commands], grantedAt })),
    revoked,
  };
}

async function listCommands(
  context: Pick<Context, 'backends' | 'git' | 'places' | 'loadConfig'>,
  repository: Repository,
) {
  const { root } = repository;
  // Reads all definitions, which needs zod and yaml; `up` comes through this file without them.
  const { listAllTaskCommands, listUsableWorkflows } = await import('../task/task-commands.js');
  const commit = await findBaseCommit(context, repository, undefined);
  const loaded = await context.loadConfig(root);
  return {
    setup: await pinCommands(listRepositoryCommands(loaded), filesOf(context, repository, commit)),
    include: await listRepositoryIncludes(loaded, root),
    repositories: await listRepositoryRepositories(loaded, root, await listUsableWorkflows(root)),
    backend: await listRepositoryBackend(loaded, root, context.places),
    tasks: await pinTaskCommands(context, repository, await listAllTaskCommands(context, root), commit),
  };
}

const event = (type: EventType, repository: Repository, commands: readonly string[]) => ({
  type,
  repositoryId: repository.id,
  workspaceId: null,
  data: { commands },
});

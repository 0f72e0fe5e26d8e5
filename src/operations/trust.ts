import { carrelError } from '../domain/error.js';
import type { EventType } from '../domain/event.js';
import type { TrustReport } from '../domain/result.js';
import type { TrustGrant } from '../store/store.js';
import type { Repository } from '../workspace/backend.js';
import { trustDigest } from '../workspace/setup.js';
import type { Context } from './context.js';
import { locateRepository } from './locate-repository.js';
import { listRepositoryCommands, type Settings } from './settings.js';

// Two kinds of grants: one for the setup commands, which stands for all of them in their order, because they run one after
// the other in every new workspace; and one for the lines of task-commands.ts, of which a task needs those that it runs.

export interface TrustInput {
  readonly repository: string;
}

/** What the repository would run and what of it the user has approved. */
export async function reportTrust(context: Context, input: TrustInput): Promise<TrustReport> {
  const repository = await locateRepository(context, input.repository);
  return describeTrust(context, repository, 0);
}

export interface GrantInput extends TrustInput {
  /** What the user was shown. When the repository has other commands by now, nothing is approved. */
  readonly commands: readonly string[];
}

/** Approves the commands exactly as the user saw them. */
export async function grantTrust(context: Context, input: GrantInput): Promise<TrustReport> {
  const repository = await locateRepository(context, input.repository);
  const { setup, tasks } = await listCommands(context, repository);
  const commands = [...setup, ...tasks];
  if (trustDigest(commands) !== trustDigest(input.commands))
    throw carrelError('SETUP_NOT_TRUSTED', { repository: repository.root, commands });
  if (setup.length > 0) await grant(context, repository, setup, trustDigest(setup));
  if (tasks.length > 0) await grant(context, repository, tasks, taskDigest(tasks));
  return describeTrust(context, repository, 0);
}

async function grant(
  context: Context,
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

/**
 * SETUP_NOT_TRUSTED when something that is about to run comes from the repository and is not approved as it reads. The
 * caller may approve it for this once: whatever it is, or only what has this digest.
 */
export async function requireTrust(
  context: Context,
  repository: Repository,
  settings: Settings,
  approved: boolean | string = false,
): Promise<void> {
  const willRun = settings.setup.length > 0 || settings.install === 'auto';
  const commands = settings.repositoryCommands;
  if (!willRun || commands.length === 0) return;
  if (approved === true || approved === trustDigest(commands)) return;
  if (await context.store.trust.find(repository.id, trustDigest(commands))) return;
  throw carrelError('SETUP_NOT_TRUSTED', { repository: repository.root, commands });
}

/** TASK_COMMANDS_NOT_TRUSTED unless the user has approved all of these lines of task-commands.ts together. */
export async function requireTaskTrust(
  context: Context,
  repository: Repository,
  lines: readonly string[],
): Promise<void> {
  if (await isTaskTrusted(context, repository, lines)) return;
  throw carrelError('TASK_COMMANDS_NOT_TRUSTED', { repository: repository.root, commands: lines });
}

export const isTaskTrusted = async (
  context: Context,
  repository: Repository,
  lines: readonly string[],
): Promise<boolean> => areTrusted(lines, await context.store.trust.list(repository.id));

/** Never that of setup commands: what was approved as the one must not count as the other. */
const taskDigest = (lines: readonly string[]): string => trustDigest(['carrel task commands', ...lines]);

function areTrusted(lines: readonly string[], grants: readonly TrustGrant[]): boolean {
  const ofTasks = grants.filter(({ digest, commands }) => digest === taskDigest(commands));
  return lines.length === 0 || ofTasks.some(({ commands }) => lines.every(line => commands.includes(line)));
}

async function describeTrust(
  context: Context,
  repository: Repository,
  revoked: number,
): Promise<TrustReport> {
  const { setup, tasks } = await listCommands(context, repository);
  const grants = await context.store.trust.list(repository.id);
  const isSetUp = setup.length === 0 || grants.some(({ digest }) => digest === trustDigest(setup));
  return {
    repository: repository.root,
    commands: [...setup, ...tasks],
    trusted: isSetUp && areTrusted(tasks, grants),
    grants: grants.map(({ commands, grantedAt }) => ({ commands: [...commands], grantedAt })),
    revoked,
  };
}

async function listCommands(context: Context, { root }: Repository) {
  // Reads all definitions, which needs zod and yaml; `up` comes through this file without them.
  const { listAllTaskCommands } = await import('./task-commands.js');
  return {
    setup: listRepositoryCommands(await context.loadConfig(root)),
    tasks: await listAllTaskCommands(context, root),
  };
}

const event = (type: EventType, repository: Repository, commands: readonly string[]) => ({
  type,
  repositoryId: repository.id,
  workspaceId: null,
  data: { commands },
});

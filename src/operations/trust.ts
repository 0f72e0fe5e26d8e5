import { carrelError } from '../domain/error.js';
import type { EventType } from '../domain/event.js';
import type { TrustReport } from '../domain/result.js';
import type { Repository } from '../workspace/backend.js';
import { trustDigest } from '../workspace/setup.js';
import type { Context } from './context.js';
import { locateRepository } from './locate-repository.js';
import { listRepositoryCommands, type Settings } from './settings.js';

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
  const commands = listRepositoryCommands(await context.loadConfig(repository.root));
  const digest = trustDigest(commands);
  if (digest !== trustDigest(input.commands))
    throw carrelError('SETUP_NOT_TRUSTED', { repository: repository.root, commands });
  if (commands.length > 0) {
    const grant = {
      repositoryId: repository.id,
      repository: repository.root,
      digest,
      commands,
      grantedAt: new Date(context.now()).toISOString(),
    };
    await context.store.trust.grant(grant, [event('trust.granted', repository, commands)]);
  }
  return describeTrust(context, repository, 0);
}

export async function revokeTrust(context: Context, input: TrustInput): Promise<TrustReport> {
  const repository = await locateRepository(context, input.repository);
  const revoked = await context.store.trust.revoke(repository.id, [event('trust.revoked', repository, [])]);
  return describeTrust(context, repository, revoked);
}

/** SETUP_NOT_TRUSTED when something that is about to run comes from the repository and is not approved as it reads. */
export async function requireTrust(
  context: Context,
  repository: Repository,
  settings: Settings,
): Promise<void> {
  const willRun = settings.setup.length > 0 || settings.install === 'auto';
  const commands = settings.repositoryCommands;
  if (!willRun || commands.length === 0) return;
  if (await context.store.trust.find(repository.id, trustDigest(commands))) return;
  throw carrelError('SETUP_NOT_TRUSTED', { repository: repository.root, commands });
}

async function describeTrust(
  context: Context,
  repository: Repository,
  revoked: number,
): Promise<TrustReport> {
  const commands = listRepositoryCommands(await context.loadConfig(repository.root));
  const grants = await context.store.trust.list(repository.id);
  return {
    repository: repository.root,
    commands,
    trusted: commands.length === 0 || grants.some(grant => grant.digest === trustDigest(commands)),
    grants: grants.map(grant => ({ commands: [...grant.commands], grantedAt: grant.grantedAt })),
    revoked,
  };
}

const event = (type: EventType, repository: Repository, commands: readonly string[]) => ({
  type,
  repositoryId: repository.id,
  workspaceId: null,
  data: { commands },
});

import { resolve } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import { isModulePath } from '../../domain/workspace/backend-name.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { type ConfiguredBackend, rememberOwnBackend } from '../trust/backend-trust.js';

/** The repository as a user's backend sees it: a backend that knows no git makes plain copies of it. */
export async function locateForBackend(
  { backends }: Pick<Context, 'backends'>,
  name: string,
  repository: Repository,
): Promise<Repository> {
  const { commonDir } = await backends.of(name).locate(repository.root);
  return commonDir === null ? { ...repository, commonDir: null, linkedWorktree: null } : repository;
}

/**
 * Loads the backend for a new workspace. UNKNOWN_BACKEND, BACKEND_UNAVAILABLE, BACKEND_NOT_TRUSTED.
 */
export async function openBackend(
  context: Pick<Context, 'store' | 'backends' | 'customBackends' | 'now'>,
  { name, isOwn }: ConfiguredBackend,
  repository: Repository,
): Promise<Repository> {
  const { names, prepare } = context.customBackends;
  if (!isModulePath(name) && !names.includes(name))
    throw carrelError('UNKNOWN_BACKEND', { name, known: names });
  const use = { backend: name, repository: repository.root, repositoryId: repository.id };
  if (isOwn) await rememberOwnBackend(context, use);
  await prepare([use]);
  return locateForBackend(context, name, repository);
}

/** A backend that the caller names, as in the configuration. */
export const namedByCaller = ({ cwd }: Pick<Context, 'cwd'>, name: string): ConfiguredBackend => ({
  name: isModulePath(name) ? resolve(cwd, name) : name,
  isOwn: true,
});
